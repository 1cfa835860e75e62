"""What editors do with prompts: make one, write a new version, and say which version counts."""

import re
from collections.abc import Mapping, Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from chat.actions.conversations import require_model
from chat.actions.refusals import Refused
from chat.managed_prompts import versions
from chat.managed_prompts.template import WrongText, checked
from chat.models import Prompt, PromptActivation, PromptType, PromptVersion, VersionStatus
from chat.models.prompts import MAX_DESCRIPTION, MAX_KEY, MAX_NAME, MAX_REASON
from graphs.models import Workspace
from graphs.site.access import Member

_KEY = re.compile(rf"[a-z][a-z0-9_]{{0,{MAX_KEY - 1}}}", re.ASCII)
MAX_PROMPTS = 100
#: With those that are archived.
MAX_WITH_ARCHIVED = 1_000
MAX_VERSIONS = 500
#: It stands for level 1 of conversations.
RESERVED_KEYS = frozenset({"conversation", "new"})


def make_prompt(member: Member, key: str, name: str, description: str, type_: str) -> Prompt:
    """A new prompt of the workspace, without a version. Raises `Forbidden`, `Refused`."""
    member.require_editor()
    if not _KEY.fullmatch(key):
        sentence = _("A key has 1 to {count} small letters, digits and underscores, and begins with a letter.")
        raise Refused("validation", sentence.format(count=MAX_KEY), field="key")
    if type_ not in PromptType.values:
        raise Refused("validation", _("Choose what it asks for."), field="type")
    for field, text, least, most in (("name", name, 1, MAX_NAME), ("description", description, 0, MAX_DESCRIPTION)):
        if not least <= len(text.strip()) <= most:
            sentence = _("It has {least} to {most} characters.")
            raise Refused("validation", sentence.format(least=least, most=most), field=field)
    with transaction.atomic():
        Workspace.objects.select_for_update(no_key=True).get(pk=member.workspace.pk)
        if key in RESERVED_KEYS or versions.prompts_in(member.workspace).filter(key=key).exists():
            raise Refused("validation", _("There is a prompt with this key. Choose another one."), field="key")
        _require_room(member.workspace)
        if Prompt.objects.filter(workspace=member.workspace).count() >= MAX_WITH_ARCHIVED:
            sentence = _("A workspace has at most {count} prompts, archived ones too. Bring one of them back.")
            raise Refused("too_many", sentence.format(count=MAX_WITH_ARCHIVED))
        return Prompt.objects.create(
            workspace=member.workspace, key=key, name=name.strip(), description=description.strip(), type=type_
        )


def _require_room(workspace: Workspace) -> None:
    """Raises `Refused` where a held workspace has all the prompts that it may."""
    if Prompt.objects.filter(workspace=workspace, archived_at=None).count() >= MAX_PROMPTS:
        sentence = _("A workspace has at most {count} prompts of its own. Archive one that is not used any more.")
        raise Refused("too_many", sentence.format(count=MAX_PROMPTS))


def archive(member: Member, key: str, *, archived: bool) -> Prompt:
    """Puts a prompt of the workspace away, or brings it back. Raises `NotFound`, `Forbidden`, `Refused`.

    What it was asked with keeps its name and its text; what waits or is at work goes on.
    """
    prompt = versions.prompt_for(member.workspace, key)
    member.require_editor()
    if prompt.workspace_id is None:
        raise Refused("conflict", _("Prompts that came with the program stay."))
    with transaction.atomic():
        Workspace.objects.select_for_update(no_key=True).get(pk=member.workspace.pk)
        prompt.refresh_from_db(fields=["archived_at"])
        if prompt.archived != archived:
            if not archived:
                _require_room(member.workspace)
            prompt.archived_at = timezone.now() if archived else None
            prompt.save(update_fields=["archived_at"])
    return prompt


def usable_prompt_for(member: Member, key: str) -> Prompt:
    """The prompt that an editor may write, activate or ask with. Raises `NotFound`, `Forbidden`, `Refused`."""
    prompt = versions.prompt_for(member.workspace, key)
    member.require_editor()
    if prompt.archived:
        raise Refused("conflict", _("This prompt is archived. Bring it back first."))
    return prompt


def write_version(
    member: Member,
    key: str,
    texts: Mapping[str, str],
    variables: Sequence[str] | None,
    model: str,
    reason: str,
) -> PromptVersion:
    """A new version of the workspace, as a draft. Raises `NotFound`, `Forbidden`, `Refused`."""
    prompt = usable_prompt_for(member, key)
    if model:
        require_model(member, model)
    written = PromptVersion(
        workspace=member.workspace, texts=dict(texts), model=model, author=member.user, reason=_reason(reason)
    )
    return _store(prompt, written, variables)


def write_site_version(prompt: Prompt, written: PromptVersion) -> PromptVersion:
    """Stores a version that counts in all workspaces without one of their own, as a draft. Raises `Refused`."""
    return _store(prompt, written, None)


def _store(prompt: Prompt, written: PromptVersion, variables: Sequence[str] | None) -> PromptVersion:
    try:
        written.variables = checked(prompt.type, written.texts, variables)
    except WrongText as wrong:
        raise Refused("validation", wrong.sentence, field=wrong.field) from None
    with transaction.atomic():
        _hold(prompt)
        require_room_for_version(prompt, written.workspace_id)
        others = PromptVersion.objects.filter(prompt=prompt)
        if written.workspace_id is not None:
            others = others.filter(Q(workspace=written.workspace_id) | Q(workspace=None))
        written.prompt = prompt
        written.number = (others.aggregate(last=Max("number"))["last"] or 0) + 1
        written.save(force_insert=True)
    return written


def require_room_for_version(prompt: Prompt, workspace_id: int | None) -> None:
    """Raises `Refused` where a prompt has all the versions that it may, of the workspace or of the site."""
    if PromptVersion.objects.filter(prompt=prompt, workspace=workspace_id).count() >= MAX_VERSIONS:
        sentence = _("A prompt has at most {count} versions. Make another prompt.")
        raise Refused("too_many", sentence.format(count=MAX_VERSIONS))


def activate(member: Member, key: str, number: int, reason: str = "") -> PromptVersion:
    """Makes a version count in the workspace; of the site's the active one, by retiring the workspace's own.

    Raises `NotFound`, `Forbidden`, `Refused`. What counts already is left as it is.
    """
    version = versions.version_for(member.workspace, key, number)
    usable_prompt_for(member, key)
    with transaction.atomic():
        _hold(version.prompt)
        version.refresh_from_db(fields=["status"])
        if version.workspace_id is None and version.status != VersionStatus.ACTIVE:
            sentence = _("This version is of the site. Save its text as a version of your own, and activate that.")
            raise Refused("conflict", sentence)
        if versions.active_in(member.workspace, version.prompt) == version:
            return version
        _make_count(version, member.workspace)
        PromptActivation.objects.create(
            version=version, workspace=member.workspace, person=member.user, reason=_reason(reason, required=False)
        )
    return version


def activate_for_the_site(person: User, version: PromptVersion) -> None:
    """Makes a version of the site count in all workspaces that have no active one of their own."""
    with transaction.atomic():
        _hold(version.prompt)
        version.refresh_from_db()
        if version.status != VersionStatus.ACTIVE:
            _make_count(version, None)
            PromptActivation.objects.create(version=version, person=person)


def _make_count(version: PromptVersion, workspace: Workspace | None) -> None:
    """Retires the active version of the workspace, or of the site, and makes that one active if it is of the same."""
    active = PromptVersion.objects.filter(prompt=version.prompt_id, workspace=workspace, status=VersionStatus.ACTIVE)
    active.update(status=VersionStatus.RETIRED)
    if version.workspace_id == (workspace.pk if workspace else None):
        version.status = VersionStatus.ACTIVE
        version.save(update_fields=["status"])


def _hold(prompt: Prompt) -> None:
    """Numbers are given, and versions made to count, one after the other."""
    Prompt.objects.select_for_update(no_key=True).get(pk=prompt.pk)


def _reason(reason: str, *, required: bool = True) -> str:
    """Why something is done. Raises `Refused` for nothing where it is `required`, and for too much."""
    if required and not reason.strip():
        sentence = _("Say why, in a sentence: others read it in the list of versions.")
        raise Refused("validation", sentence, field="reason")
    if len(reason.strip()) > MAX_REASON:
        sentence = _("It has {least} to {most} characters.")
        raise Refused("validation", sentence.format(least=int(required), most=MAX_REASON), field="reason")
    return reason.strip()
