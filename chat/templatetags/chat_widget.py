"""`{% chat_widget object %}`: the conversation about an object; `{% chat_bubble %}`: the same behind a button."""

from typing import Any

from django import template
from django.template import RequestContext

from graphs.objects.headers import named

register = template.Library()


@register.inclusion_tag("chat/widget.html", takes_context=True)
def chat_widget(context: RequestContext, subject: Any) -> dict[str, Any]:
    """The panel, open on the page. `subject` is what people talk about: a graph or a row of a registered model."""
    return _attributes(context, subject, bubble=False)


@register.inclusion_tag("chat/widget.html", takes_context=True)
def chat_bubble(context: RequestContext, subject: Any = None) -> dict[str, Any]:
    """A round button in the corner that opens the panel; without an object the conversation is about none."""
    return _attributes(context, subject, bubble=True)


def _attributes(context: RequestContext, subject: Any, *, bubble: bool) -> dict[str, Any]:
    member = context.get("member")
    user = context["user"]
    about = named(subject)
    return {
        "shown": user.is_authenticated and member is not None,
        "bubble": bubble,
        "context_type": about.type if about else "",
        "context_id": about.key if about else "",
        "workspace": member.workspace.slug if member else "",
        "may_edit": member is not None and member.role.may_edit,
        "user_name": user.get_full_name() or user.get_username() if user.is_authenticated else "",
    }
