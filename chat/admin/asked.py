"""Which level of the policy asked for a decision, in words."""

from collections.abc import Iterable, Mapping

from django.utils.translation import gettext as _


def in_words(asked_by: Iterable[Mapping[str, str]]) -> str:
    """The levels of a proposal's `asked_by`; one that nobody asked about was let through by an allowance."""
    told = [_level(each.get("level", ""), each.get("why", "")) for each in asked_by]
    return " ".join(told) or _("Nobody was asked: an allowance lets it through.")


def _level(level: str, why: str) -> str:
    match level:
        case "app":
            return _("A rule of the whole site asks before every change.")
        case "workspace":
            return _("A rule of the workspace asks before every change.")
        case "tool":
            return _("A rule asks before every change by %(tool)s.") % {"tool": why}
        case "session":
            return _("The owner of the conversation wants to be asked before every change.")
        case "request":
            return _("The model itself asked for a decision.")
        case "default":
            return _("No allowance covers it (%(what)s).") % {"what": why}
        case _:
            return f"{level}: {why}"
