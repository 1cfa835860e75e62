"""Addresses of the pages of conversations."""

from django.urls import path

from chat import prompt_pages, replay_page, search_page, shared_page, views
from graphs.site import url_keys

url_keys.register()

urlpatterns = [
    path("inbox/", views.inbox, name="inbox"),
    path("queue/", views.queue, name="queue"),
    path("search/", search_page.search_page, name="search"),
    path("prompts/", prompt_pages.prompt_list, name="prompts"),
    path("prompts/new/", prompt_pages.new_prompt, name="new-prompt"),
    path("prompts/<key:prompt_key>/", prompt_pages.prompt_page, name="prompt"),
    path("prompts/<key:prompt_key>/versions/", prompt_pages.write_version, name="write-prompt-version"),
    path("prompts/<key:prompt_key>/activate/", prompt_pages.activate, name="activate-prompt-version"),
    path("prompts/<key:prompt_key>/archive/", prompt_pages.archive, name="archive-prompt"),
    path("prompts/<key:prompt_key>/try/", prompt_pages.try_version, name="try-prompt-version"),
    path("conversations/<key:session_id>/replay/", replay_page.page, name="conversation_replay"),
    path("conversations/<key:session_id>/replay/events/", replay_page.events, name="conversation_replay_events"),
    path("shared/<key:token>/", shared_page.shared, name="shared"),
]
