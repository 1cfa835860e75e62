"""`{% chat_widget object %}`: the conversation about an object; `{% chat_bubble %}`: a button that opens one."""

import json
from dataclasses import asdict, replace
from typing import Any

from django import template
from django.template import RequestContext
from django.utils.html import json_script
from django.utils.safestring import SafeString

from chat.subjects.registered_subjects import subject_of
from chat.subjects.subject import ASKS_FOR_A_CHANGE
from chat.subjects.tools import by_name
from graphs.objects.headers import named, title_of
from graphs.objects.kinds import KINDS
from rag.texts.shortening import cut

register = template.Library()
#: Characters of a title within a question to try.
MOST_OF_A_TITLE = 80


@register.inclusion_tag("chat/widget.html", takes_context=True)
def chat_widget(context: RequestContext, subject: Any) -> dict[str, Any]:
    """The panel, open on the page. `subject` is what people talk about: a graph or a row of a registered model."""
    return _attributes(context, subject, bubble=False)


@register.inclusion_tag("chat/widget.html", takes_context=True)
def chat_bubble(context: RequestContext, subject: Any = None, listed: str = "") -> dict[str, Any]:
    """A round button in the corner that opens the panel; without an object the conversation is about none.

    It then offers questions about the kind that the page has `listed`.
    """
    return _attributes(context, subject, bubble=True, listed=listed)


@register.simple_tag
def tool_badges() -> SafeString:
    """`<script type="application/json" id="tool-badges">` with {"name of a tool": ["icon", "words"]}."""
    return json_script({name: tool.badge for name, tool in by_name().items() if tool.badge[1]}, "tool-badges")


def _attributes(context: RequestContext, subject: Any, *, bubble: bool, listed: str = "") -> dict[str, Any]:
    member = context.get("member")
    user = context["user"]
    about = named(subject)
    title = cut(title_of(KINDS[about.type], subject), MOST_OF_A_TITLE) if about else ""
    welcome = subject_of(about.type if about else listed).welcome(title)
    edits = member is not None and member.role.may_edit
    questions = tuple(each for each in welcome.questions if edits or each[0] != ASKS_FOR_A_CHANGE)
    return {
        "shown": user.is_authenticated and member is not None,
        "bubble": bubble,
        "context_type": about.type if about else "",
        "context_id": about.key if about else "",
        "welcome": json.dumps(asdict(replace(welcome, questions=questions)), ensure_ascii=False),
        "workspace": member.workspace.slug if member else "",
        "may_edit": edits,
        "user_name": user.get_full_name() or user.get_username() if user.is_authenticated else "",
    }
