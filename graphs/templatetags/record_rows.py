"""`{% record_rows records conversations %}`: the rows of the table of a list of records."""

from collections.abc import Mapping, Sequence

from django import template
from django.template import RequestContext
from django.utils.safestring import SafeString

from graphs.records.list_rows import rows_of
from graphs.records.listing import ListedRecord

register = template.Library()


@register.simple_tag(takes_context=True)
def record_rows(
    context: RequestContext, records: Sequence[ListedRecord], conversations: Mapping[str, int]
) -> SafeString:
    """The rows, with what the member may do and how many of their conversations are about each."""
    return rows_of(
        records,
        conversations,
        context["here"],
        may_choose=context["member"].role.may_edit,
        are_held=context["holder_kind"] is not None,
    )
