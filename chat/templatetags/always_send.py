"""`{% always_send object %}`: what of an object every conversation is sent, and for editors the choice of it."""

import json
from typing import Any

from django import template
from django.template import RequestContext
from django.utils.translation import gettext as _

from chat.prompts.always_sent import table_of
from graphs.objects.headers import named
from graphs.objects.kinds import KINDS

register = template.Library()


@register.inclusion_tag("chat/always_send.html", takes_context=True)
def always_send(context: RequestContext, subject: Any) -> dict[str, Any]:
    """A menu on the page of the object; nothing where there is no member, or no object."""
    member, about = context.get("member"), named(subject)
    if member is None or about is None:
        return {"shown": False}
    kind = KINDS[about.type]
    labels = [str(field.label) for field in kind.fields if field.name in table_of(kind).columns]
    return {
        "shown": True,
        "about": about,
        "whole": _("This %(kind)s: %(fields)s") % {"kind": kind.label, "fields": ", ".join(labels)},
        "parts": json.dumps({part.name: str(part.label) for part in kind.parts}, ensure_ascii=False),
        "has_parts": bool(kind.parts),
        "workspace": member.workspace.slug,
        "may_edit": member.role.may_edit,
    }
