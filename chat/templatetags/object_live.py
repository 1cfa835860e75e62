"""`{% object_live object %}`: keeps what a page shows of an object true while people and models change it."""

from typing import Any

from django import template
from django.template import RequestContext

from graphs.models import Object
from graphs.objects.headers import children_of, named
from graphs.objects.kinds import KINDS
from graphs.objects.refs import Ref
from graphs.site.access import Member

register = template.Library()


@register.inclusion_tag("chat/object_live.html", takes_context=True)
def object_live(context: RequestContext, subject: Any) -> dict[str, Any]:
    """An element that follows the object and says so if it is gone; nothing where there is no member, or no object."""
    member, about = context.get("member"), named(subject)
    if member is None or about is None:
        return {"about": None}
    holds = bool(children_of(KINDS[about.type]))
    version = _version(member, subject, about)
    return {"about": about, "version": version, "holds": holds, "workspace": member.workspace.slug}


def _version(member: Member, subject: Any, about: Ref) -> int:
    """The version that the page shows: that of the header, if it was given."""
    if isinstance(subject, Object):
        return subject.version
    header = Object.objects.filter(workspace=member.workspace, type=about.type, key=about.key)
    return header.values_list("version", flat=True).first() or 0
