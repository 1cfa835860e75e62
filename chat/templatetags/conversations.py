"""`{% conversation_counts kind keys as counts %}`: how many conversations somebody has about each of some objects."""

from collections.abc import Iterable

from django import template
from django.db.models import Count, Func, TextField, Value
from django.template import RequestContext

from chat.queries.conversations import sessions_of
from graphs.site.row_store import as_array

register = template.Library()


@register.simple_tag(takes_context=True)
def conversation_counts(context: RequestContext, kind: str, keys: Iterable[str]) -> dict[str, int]:
    """The member's own conversations about objects of a kind, by key; none are counted where there is no member."""
    member = context.get("member")
    if member is None:
        return {}
    # One parameter: the driver keeps no statement of more than fifty.
    named = Func(Value(as_array(keys)), template="(SELECT unnest(%(expressions)s::text[]))", output_field=TextField())
    about = sessions_of(member).filter(context_type=kind, context_id__in=named)
    return dict(about.order_by().values_list("context_id").annotate(Count("pk")))
