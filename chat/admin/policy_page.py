"""The policy of a workspace in words: for each tool what asks, what passes, and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from chat.admin.policy_forms import tool_label, write_tools
from chat.models import Allowance, ValidationRule
from graphs.admin.audit import auditable, may_audit
from graphs.models import Workspace
from graphs.objects.kinds import KINDS, holder_of


@dataclass(frozen=True, slots=True)
class ToolPolicy:
    """`asks` are the rules that ask before every change by the tool; `passes` what would pass without them."""

    name: str
    label: str
    asks: tuple[str, ...]
    passes: tuple[str, ...]


def page(request: HttpRequest, site: Mapping[str, Any]) -> HttpResponse:
    """The policy of `?workspace=`, else of the first one the person may audit; where there is none, what to do."""
    if not may_audit(request):
        raise PermissionDenied
    workspaces = list(auditable(request).order_by("name", "pk"))
    slug = request.GET.get("workspace")
    workspace = next((each for each in workspaces if slug in {None, "", each.slug}), None)
    if workspace is None and slug:
        raise Http404
    context = {
        **site,
        "title": _("What is asked, and what passes"),
        "subtitle": str(workspace or ""),
        "opts": ValidationRule._meta,
        "workspace": workspace,
        "workspaces": workspaces,
        "tools": policies(workspace) if workspace else [],
    }
    return render(request, "admin/chat/policy/explained.html", context)


def policies(workspace: Workspace) -> list[ToolPolicy]:
    rules = list(ValidationRule.objects.filter(Q(workspace=None) | Q(workspace=workspace)))
    allowances = list(Allowance.objects.filter(workspace=workspace))
    return [
        ToolPolicy(
            name=tool,
            label=tool_label(tool),
            asks=tuple(_rule_in_words(rule) for rule in rules if rule.tool in {"", tool}),
            passes=tuple(f"{what_in_words(each)}: {where_in_words(each)}" for each in allowances if each.tool == tool),
        )
        for tool in write_tools()
    ]


def _rule_in_words(rule: ValidationRule) -> str:
    if rule.workspace_id is None:
        return _("the whole site asks before this tool") if rule.tool else _("the whole site asks before every change")
    return _("the workspace asks before this tool") if rule.tool else _("the workspace asks before every change")


def what_in_words(allowance: Allowance) -> str:
    """ "node: name", "edge: everything, also that it comes or goes"."""
    kind = KINDS.get(allowance.kind)
    if kind is None:
        return allowance.kind
    labels = {field.name: field.label for field in kind.fields}
    field = labels.get(allowance.field, allowance.field) or _("everything, also that it comes or goes")
    return f"{kind.label}: {field}"


def where_in_words(allowance: Allowance) -> str:
    """ "every graph", "fetch-api, graph nba"."""
    kind = holder_of(allowance.kind).label if allowance.kind in KINDS else allowance.kind
    every = _("every %(kind)s") % {"kind": kind}
    where = f"{kind} {allowance.object_key}" if allowance.object_key else every
    return f"{allowance.item_key}, {where}" if allowance.item_key else where
