"""Addresses of the pages of conversations."""

from django.urls import path

from chat import replay_page, shared_page, views
from graphs.site import url_keys

url_keys.register()

urlpatterns = [
    path("inbox/", views.inbox, name="inbox"),
    path("conversations/<key:session_id>/replay/", replay_page.page, name="conversation_replay"),
    path("conversations/<key:session_id>/replay/events/", replay_page.events, name="conversation_replay_events"),
    path("shared/<key:token>/", shared_page.shared, name="shared"),
]
