"""What the audit of changes shows of conversations: links to the proposal, message and session behind a change."""

from collections.abc import Mapping
from typing import Any

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from graphs.admin import causes


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


def register() -> None:
    for kind, explained in (("proposal", _proposal), ("message", _message), ("session", _session)):
        causes.register(kind, explained)
