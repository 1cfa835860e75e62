"""`{% site_problems %}`: what the site's administrators have to set before models can answer; nothing for others."""

from typing import Any

from django import template
from django.template import RequestContext

from chat import checks
from graphs.models import Role

register = template.Library()


@register.inclusion_tag("chat/site_problems.html", takes_context=True)
def site_problems(context: RequestContext, list: str = "messages") -> dict[str, Any]:
    """The problems, in a list of the class `list`."""
    user, member = context.get("user"), context.get("member")
    may_know = user is not None and (user.is_staff or (member is not None and member.role == Role.ADMIN))
    return {"problems": checks.problems() if may_know else [], "list": list}
