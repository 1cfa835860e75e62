"""What the audit of changes and objects shows of conversations: links to what was said and proposed."""

from collections.abc import Mapping
from typing import Any

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from chat.models import Proposal, Session
from graphs.admin import causes
from graphs.admin.display import list_link
from graphs.admin.objects import ABOUT
from graphs.models import Object


def message_address(session_id: object, message_id: object) -> str:
    """Where the audit shows this message, on whichever page of its session it stands."""
    address = reverse("admin:chat_session_change", args=[session_id], query={"message": str(message_id)})
    return f"{address}#message-{message_id}"


def link(address: str, text: str | Promise) -> SafeString:
    return format_html('<a href="{}">{}</a>', address, text)


def _proposal(ids: Mapping[str, str]) -> SafeString:
    return _link("admin:chat_proposal_change", ids["proposal"], _("proposal"))


def _message(ids: Mapping[str, str]) -> SafeString:
    """Without its session a message has no page."""
    if "session" not in ids:
        return SafeString("")
    return link(message_address(ids["session"], ids["message"]), _("message"))


def _session(ids: Mapping[str, str]) -> SafeString:
    return _link("admin:chat_session_change", ids["session"], _("conversation"))


def _link(view: str, id_: str, text: Any) -> SafeString:
    return link(reverse(view, args=[id_]), text)


def sessions_about(of: Object) -> SafeString:
    """The list of the conversations about an object."""
    return list_link(Session, gettext("conversations"), object=str(of), workspace=of.workspace.slug)


def proposals_about(of: Object) -> SafeString:
    """The list of what was proposed about an object."""
    return list_link(Proposal, gettext("proposals"), object=str(of), workspace=of.workspace.slug)


def register() -> None:
    ABOUT.extend((sessions_about, proposals_about))
    for kind, explained in (("proposal", _proposal), ("message", _message), ("session", _session)):
        causes.register(kind, explained)
