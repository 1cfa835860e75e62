"""`{{ side|parts:"ins" }}`: a line of a side-by-side diff, what changed in it within that element."""

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from graphs.admin.side_by_side import Side

register = template.Library()


@register.filter
def parts(side: Side | None, element: str) -> SafeString:
    """The text of a side, escaped, with `element` around what is marked; "" where this side has no such line."""
    if side is None:
        return SafeString("")
    marked = format_html("<{0}>{{}}</{0}>", element)
    return format_html_join("", "{}", ((format_html(marked, p.text) if p.marked else p.text,) for p in side.parts))
