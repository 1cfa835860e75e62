"""Addresses under `/api/v1/` that belong to conversations."""

from django.urls import path

from chat.api import always_send, events, generations, links, messages, prompts, proposals, sessions
from graphs.site import url_keys

url_keys.register()

urlpatterns = [
    path("always-send", always_send.AlwaysSendView.as_view()),
    path("graphs/<key:key>/always-send", always_send.GraphAlwaysSendView.as_view()),
    path("chat/links", links.LinksView.as_view()),
    path("chat/messages", messages.MessagesView.as_view()),
    path("chat/messages/<key:message_id>", messages.MessageView.as_view()),
    path("chat/messages/<key:message_id>/stream-events", events.MessageEventsView.as_view()),
    path("chat/messages/<key:message_id>/deepen", messages.DeepenView.as_view()),
    path("chat/models", messages.ModelsView.as_view()),
    path("chat/sessions", sessions.SessionsView.as_view()),
    path("chat/sessions/<key:session_id>", sessions.SessionView.as_view()),
    path("chat/sessions/<key:session_id>/messages", sessions.SessionMessagesView.as_view()),
    path("chat/sessions/<key:session_id>/stream-events", events.SessionEventsView.as_view()),
    path("chat/sessions/<key:session_id>/resume", sessions.ResumeView.as_view()),
    path("chat/sessions/<key:session_id>/retry", sessions.RetryView.as_view()),
    path("chat/sessions/<key:session_id>/stop", sessions.StopView.as_view()),
    path("objects/<key:object_type>/<key:object_id>/always-send", always_send.ObjectAlwaysSendView.as_view()),
    path("objects/<key:object_type>/<key:object_id>/stream", events.ObjectStreamView.as_view()),
    path("prompts", prompts.PromptsView.as_view()),
    path("prompts/<key:prompt_key>", prompts.PromptView.as_view()),
    path("prompts/<key:prompt_key>/compare", prompts.PromptDiffView.as_view()),
    path("prompts/<key:prompt_key>/versions", prompts.PromptVersionsView.as_view()),
    path("prompts/<key:prompt_key>/versions/<key:version>", prompts.PromptVersionView.as_view()),
    path("prompts/<key:prompt_key>/versions/<key:version>/activate", prompts.ActivateView.as_view()),
    path("prompts/<key:prompt_key>/versions/<key:version>/try", prompts.TryView.as_view()),
    path("proposals", proposals.ProposalsView.as_view()),
    path("proposals/waiting", proposals.WaitingView.as_view()),
    path("proposals/decide", proposals.DecideManyView.as_view()),
    path("proposals/<key:proposal_id>", proposals.ProposalView.as_view()),
    path("proposals/<key:proposal_id>/preview", proposals.PreviewView.as_view()),
    path("proposals/<key:proposal_id>/decide", proposals.DecideView.as_view()),
    path("proposals/<key:proposal_id>/propose-again", proposals.ProposeAgainView.as_view()),
    path("structured/<key:structured_id>", generations.StructuredView.as_view()),
    path("structured/<key:structured_id>/cancel", generations.CancelGenerationView.as_view()),
    path("streams/sse", events.ServerSentEventsView.as_view()),
    path("streams/events/<key:stream_name>", events.StreamEventsView.as_view()),
]
