"""`{% conversation_counts kind keys as counts %}`: how many conversations somebody has about each of some objects."""

from collections.abc import Iterable

from django import template
from django.template import RequestContext

from chat.queries.conversations import counts_about

register = template.Library()


@register.simple_tag(takes_context=True)
def conversation_counts(context: RequestContext, kind: str, keys: Iterable[str]) -> dict[str, int]:
    """The member's own conversations about objects of a kind, by key; none are counted where there is no member."""
    member = context.get("member")
    return {} if member is None else counts_about(member, kind, keys)
