"""What the audit of changes and objects shows of conversations: links to what was said and proposed."""

from collections.abc import Mapping

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from chat.models import Proposal, Session
from chat.proposals.explaining import edited_by, edited_sentence
from graphs.admin import causes
from graphs.admin.display import link, list_link
from graphs.admin.objects import ABOUT
from graphs.models import Object


def message_address(session_id: object, message_id: object) -> str:
    """The page of its session on which the audit shows this message."""
    address = reverse("admin:chat_session_change", args=[session_id], query={"message": str(message_id)})
    return f"{address}#message-{message_id}"


def _message(ids: Mapping[str, str]) -> SafeString:
    """A link to the message; nothing without its session, as it has no page then."""
    if "session" not in ids:
        return SafeString("")
    return link(message_address(ids["session"], ids["message"]), _("message"))


def _proposal(ids: Mapping[str, str]) -> SafeString:
    return link(reverse("admin:chat_proposal_change", args=[ids["proposal"]]), _("proposal"))


def _session(ids: Mapping[str, str]) -> SafeString:
    return link(reverse("admin:chat_session_change", args=[ids["session"]]), _("conversation"))


def _edited(proposal_id: str) -> str:
    return "".join(edited_sentence(who) for who in edited_by([proposal_id]).values())


def sessions_about(of: Object) -> SafeString:
    """The list of the conversations about an object."""
    return list_link(Session, gettext("conversations"), object=str(of), workspace=of.workspace.slug)


def proposals_about(of: Object) -> SafeString:
    """The list of what was proposed about an object."""
    return list_link(Proposal, gettext("proposals"), object=str(of), workspace=of.workspace.slug)


def register() -> None:
    ABOUT.extend((sessions_about, proposals_about))
    for noun, explained in (("proposal", _proposal), ("message", _message), ("session", _session)):
        causes.register(noun, explained)
    causes.register_note("proposal", _edited)
