"""`{% object_live object %}`: keeps what a page shows of an object true while people and models change it."""

from typing import Any

from django import template
from django.template import RequestContext

from graphs.models import Object
from graphs.objects.headers import named

register = template.Library()


@register.inclusion_tag("chat/object_live.html", takes_context=True)
def object_live(context: RequestContext, subject: Any) -> dict[str, Any]:
    """An element that follows the object and says so if it is gone; nothing where there is no member, or no object."""
    member, about = context.get("member"), named(subject)
    if member is None or about is None:
        return {"about": None}
    header = Object.objects.filter(workspace=member.workspace, type=about.type, key=about.key)
    version = header.values_list("version", flat=True).first()
    return {"about": about, "version": version or 0, "workspace": member.workspace.slug}
