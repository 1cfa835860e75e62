"""`{% inbox_link %}`: the way to the inbox, with how much waits there, as it changes."""

from typing import Any

from django import template
from django.template import RequestContext
from django.urls import reverse

from chat.events.notices import workspace_stream_name
from chat.views import count_text

register = template.Library()


@register.inclusion_tag("chat/inbox_link.html", takes_context=True)
def inbox_link(context: RequestContext) -> dict[str, Any]:
    """The link to the inbox; nothing on pages that know no member."""
    member = context.get("member")
    if member is None:
        return {"shown": False}
    here = context["request"].path == reverse("inbox")
    return {
        "shown": True,
        "here": context.get("here", ""),
        "current": here,
        "count": count_text(member),
        "workspace": member.workspace.slug,
        "stream": workspace_stream_name(member.workspace.pk),
        "user": member.user.get_username(),
    }
