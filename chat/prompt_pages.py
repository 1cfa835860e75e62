"""The pages of prompts: the list, and one prompt with its versions, what differs between them, and trying one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from django.views.decorators.http import require_POST, require_safe

from chat.actions import managing_prompts, posting, trying_prompts
from chat.engine import offered_models
from chat.managed_prompts.diffs import TEXTS, diff_of
from chat.managed_prompts.template import MAX_TEXT_CHARS
from chat.managed_prompts.variables import ASKS
from chat.managed_prompts.versions import active_in, number_in, prompt_for, version_for
from chat.models import Prompt, PromptType, PromptVersion, VersionStatus
from chat.models.prompts import MAX_DESCRIPTION, MAX_KEY, MAX_NAME, MAX_REASON
from chat.prompts.versions import prompt_version, wordings
from chat.queries.prompts import Outcomes, activations_of, listed_prompts, outcomes_of, versions_of
from graphs.objects.headers import address_of, listed, ref_of, title_of
from graphs.objects.kinds import KINDS
from graphs.objects.refs import Ref
from graphs.site.access import Member, NotFound
from graphs.site.api import limits
from graphs.site.api.problems import Problem
from graphs.site.pages import layout_of, member_page, render_page

#: Objects that are offered to try a prompt on.
MOST_OBJECTS = 200
_STATUS = {
    VersionStatus.DRAFT: gettext_lazy("draft"),
    VersionStatus.ACTIVE: pgettext_lazy("of a version", "active"),
    VersionStatus.RETIRED: gettext_lazy("retired"),
}


@dataclass(frozen=True, slots=True)
class Line:
    """A version as the table shows it. `restores`: it counted before."""

    version: PromptVersion
    counts: bool
    outcomes: Outcomes
    may_count: bool

    @property
    def status(self) -> str:
        """What it is in this workspace: the site's active version does not count beside one of its own."""
        if self.version.workspace_id is None and self.version.status == VersionStatus.ACTIVE and not self.counts:
            return _("active on the site")
        return str(_STATUS[VersionStatus(self.version.status)])

    @property
    def restores(self) -> bool:
        return self.version.status != VersionStatus.DRAFT

    @property
    def cost(self) -> Decimal | None:
        return self.outcomes.cost

    @property
    def seconds(self) -> float | None:
        return None if self.outcomes.duration_ms is None else self.outcomes.duration_ms / 1000


@require_safe
@member_page
def prompt_list(request: HttpRequest, member: Member) -> HttpResponse:
    return render_page(request, member, "chat/prompts/list.html", _of_list(member, "archived" in request.GET))


@require_POST
@member_page
def new_prompt(request: HttpRequest, member: Member) -> HttpResponse:
    """Makes a prompt of the workspace, and leads to its page."""
    member.require_editor()
    given = {name: _given(request, name) for name in ("key", "name", "description", "type")}
    try:
        limits.require("writes", str(member.user.pk), settings.LIMIT_WRITES)
        made = managing_prompts.make_prompt(member, given["key"], given["name"], given["description"], given["type"])
    except Problem as refused:
        opened_at = f"{reverse('prompts')}{layout_of(member)['here']}"
        context = _of_list(member) | {"given": given, "refused": refused.detail, "opened_at": opened_at}
        return render_page(request, member, "chat/prompts/list.html", context, status=refused.status)
    return redirect(_address(member, made.key))


@require_safe
@member_page
def prompt_page(request: HttpRequest, member: Member, prompt_key: str) -> HttpResponse:
    return _page(request, member, prompt_for(member.workspace, prompt_key))


@require_POST
@member_page
def write_version(request: HttpRequest, member: Member, prompt_key: str) -> HttpResponse:
    """Saves a new version as a draft; what cannot be saved is shown again with what is wrong."""
    prompt = prompt_for(member.workspace, prompt_key)
    member.require_editor()
    texts = {code: _given(request, f"text.{code}").replace("\r\n", "\n") for code, _name in settings.LANGUAGES}
    written = PromptVersion(texts=texts, model=_given(request, "model"), reason=_given(request, "reason"))
    try:
        limits.require("writes", str(member.user.pk), settings.LIMIT_WRITES)
        kept = {code: text for code, text in texts.items() if text.strip()}
        made = managing_prompts.write_version(member, prompt_key, kept, None, written.model, written.reason)
    except Problem as refused:
        return _page(request, member, prompt, written, refused)
    messages.success(request, _("{version} is saved as a draft. Activate it to use it.").format(version=made))
    return redirect(_address(member, prompt_key))


@require_POST
@member_page
def activate(request: HttpRequest, member: Member, prompt_key: str) -> HttpResponse:
    prompt_for(member.workspace, prompt_key)
    member.require_editor()
    try:
        limits.require("writes", str(member.user.pk), settings.LIMIT_WRITES)
        version = managing_prompts.activate(
            member, prompt_key, number_in(_given(request, "number")), _given(request, "reason")
        )
    except Problem as refused:
        messages.error(request, str(refused.detail))
    else:
        messages.success(request, _("{version} is active now.").format(version=version))
    return redirect(_address(member, prompt_key))


@require_POST
@member_page
def archive(request: HttpRequest, member: Member, prompt_key: str) -> HttpResponse:
    """Puts a prompt of the workspace away, or brings it back."""
    prompt_for(member.workspace, prompt_key)
    member.require_editor()
    archived = _given(request, "archived") == "1"
    try:
        limits.require("writes", str(member.user.pk), settings.LIMIT_WRITES)
        prompt = managing_prompts.archive(member, prompt_key, archived=archived)
    except Problem as refused:
        messages.error(request, str(refused.detail))
    else:
        told = _("{prompt} is archived. Nothing is asked with it until it is brought back.")
        messages.success(request, (told if archived else _("{prompt} is back.")).format(prompt=prompt.name))
    return redirect(_address(member, prompt_key))


@require_POST
@member_page
def try_version(request: HttpRequest, member: Member, prompt_key: str) -> HttpResponse:
    """Asks with a version about an object, and leads to the conversation beside the page of the object."""
    prompt = prompt_for(member.workspace, prompt_key)
    member.require_editor()
    about = Ref(ASKS[prompt.type].about, _given(request, "object"))
    try:
        posting.count_run(member.user)
        accepted = trying_prompts.try_version(
            member, prompt_key, number_in(_given(request, "number")), about, _given(request, "model")
        )
    except Problem as refused:
        messages.error(request, str(refused.detail))
        return redirect(_address(member, prompt_key))
    query = urlencode({"session": str(accepted.session_id), "workspace": member.workspace.slug})
    return redirect(f"{address_of(member, about)}?{query}")


def _of_list(member: Member, archived: bool = False) -> dict[str, Any]:
    subjects = [(str(KINDS[kind].label) if kind else _("anything else"), text) for kind, text in wordings(member.role)]
    return {
        "prompts": listed_prompts(member, archived=archived),
        "archived": archived,
        "types": PromptType.choices,
        "most_key": MAX_KEY,
        "most_name": MAX_NAME,
        "most_description": MAX_DESCRIPTION,
        "digest": prompt_version(),
        "wordings": subjects,
    }


def _page(
    request: HttpRequest,
    member: Member,
    prompt: Prompt,
    written: PromptVersion | None = None,
    refused: Problem | None = None,
) -> HttpResponse:
    versions, active = versions_of(member, prompt), active_in(member.workspace, prompt)
    asks = ASKS[prompt.type]
    errors = (refused.errors or {"": [refused.detail]}) if refused else {}
    written = written or _asked(request, member, prompt, "from") or active
    compared = [_asked(request, member, prompt, name) for name in ("a", "b")]
    diff = diff_of(compared[0], compared[1]) if compared[0] and compared[1] else None
    context: dict[str, Any] = {
        "opened_at": _address(member, prompt.key) if refused else "",
        "prompt": prompt,
        # What was refused stays in its form, also where the prompt was archived meanwhile.
        "may_write": member.role.may_edit and (refused is not None or not prompt.archived),
        "type": PromptType(prompt.type).label,
        "asks": asks,
        "about": KINDS[asks.about],
        "active": active,
        "lines": _lines(member, versions, active),
        "diff": diff,
        "diff_data": diff.to_json()["diff"] if diff else [],
        "texts": _texts(written, errors),
        "written": written if refused or request.GET.get("from") else None,
        "shown": written,
        "chosen_model": written.model if written else "",
        "errors": errors,
        "most_text": MAX_TEXT_CHARS,
        "most_reason": MAX_REASON,
        "activations": activations_of(member, prompt),
    }
    if context["may_write"]:
        context |= {"models": offered_models.offered_to(member), "objects": _objects(member, asks.about)}
    return render_page(request, member, "chat/prompts/page.html", context, status=refused.status if refused else 200)


def _lines(member: Member, versions: Sequence[PromptVersion], active: PromptVersion | None) -> list[Line]:
    outcomes = outcomes_of(member, versions)
    return [
        Line(
            each,
            counts=each == active,
            outcomes=outcomes.get(each.pk, Outcomes()),
            may_count=each != active and (each.workspace_id is not None or each.status == VersionStatus.ACTIVE),
        )
        for each in versions
    ]


def _texts(written: PromptVersion | None, errors: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """A field of the form for each language."""
    return [
        {
            "code": code,
            "label": TEXTS.get(code, name),
            "text": written.texts.get(code, "") if written else "",
            "errors": errors.get(f"text.{code}", []),
        }
        for code, name in settings.LANGUAGES
    ]


def _objects(member: Member, kind: str) -> list[tuple[str, str]]:
    """The first objects of a kind, by their titles."""
    known = KINDS[kind]
    rows = listed(member, known)[:MOST_OBJECTS]
    return [(ref_of(known, row).key, title_of(known, row)) for row in rows]


def _asked(request: HttpRequest, member: Member, prompt: Prompt, name: str) -> PromptVersion | None:
    """The version that the address names; what names none is left out."""
    try:
        return version_for(member.workspace, prompt.key, number_in(request.GET.get(name, "")))
    except NotFound:
        return None


def _given(request: HttpRequest, name: str) -> str:
    return request.POST.get(name, "").replace("\x00", "")


def _address(member: Member, key: str) -> str:
    return f"{reverse('prompt', args=[key])}{layout_of(member)['here']}"
