"""`{% sections as all %}`, `{% section_of_page as here %}`: the parts of the site, and the one that a page is of."""

from collections.abc import Collection
from dataclasses import dataclass

from django import template
from django.template import RequestContext
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

register = template.Library()


@dataclass(frozen=True, slots=True)
class Section:
    """`address` is the name of the address of its list, which has its search; `pages` are those of its other pages.

    Of an address that says which kind it is about, that is the `kind`.
    """

    address: str
    label: str | Promise
    search: str | Promise
    pages: Collection[str]
    kind: str = ""


SECTIONS = (
    Section("home", _("Graphs"), _("Search graphs"), ("graph", "import")),
    Section("companies", _("Companies"), _("Search companies"), ("company",), "company"),
    Section("folders", _("Folders"), _("Search folders"), ("folder", "folder-matrix"), "folder"),
    Section("use-cases", _("Use cases"), _("Search use cases"), ("use-case",), "usecase"),
)


@register.simple_tag
def sections() -> tuple[Section, ...]:
    """All of them, in their order."""
    return SECTIONS


@register.simple_tag(takes_context=True)
def section_of_page(context: RequestContext) -> Section | None:
    """The section that the page is of; None for a page of none, and where there is no request."""
    at = getattr(context.get("request"), "resolver_match", None)
    if at is None:
        return None
    return next((each for each in SECTIONS if _is_in(each, at.url_name, at.kwargs.get("kind"))), None)


def _is_in(section: Section, address: str, kind: str | None) -> bool:
    return address == section.address or address in section.pages or (bool(kind) and kind == section.kind)
