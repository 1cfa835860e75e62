"""`{% always_send graph %}`: what of a graph every conversation is sent, and for editors the choice of it."""

from typing import Any

from django import template
from django.template import RequestContext

from graphs.models import Graph

register = template.Library()


@register.inclusion_tag("chat/always_send.html", takes_context=True)
def always_send(context: RequestContext, graph: Graph) -> dict[str, Any]:
    """A menu on the page of the graph."""
    member = context["member"]
    return {"graph": graph.key, "workspace": member.workspace.slug, "may_edit": member.role.may_edit}
