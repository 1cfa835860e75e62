"""Which version of a prompt counts in a workspace, and its text with the values of an object."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.conf import settings
from django.db.models import F, Q, QuerySet

from chat.managed_prompts import repository
from chat.managed_prompts.template import rendered
from chat.models import Prompt, PromptVersion, VersionStatus
from graphs.models import Workspace
from graphs.site.access import NotFound, or_not_found

#: No prompt has so many versions.
_DIGITS = 9


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """What a model is asked, and the version that it was made of."""

    version: PromptVersion
    text: str


def prompts_in(workspace: Workspace) -> QuerySet[Prompt]:
    """The prompts of a workspace and of the site; one of the workspace hides one of the site with its key."""
    repository.store()
    return Prompt.objects.filter(Q(workspace=workspace) | Q(workspace=None)).exclude(
        Q(workspace=None) & Q(key__in=Prompt.objects.filter(workspace=workspace).values("key"))
    )


def prompt_for(workspace: Workspace, key: str) -> Prompt:
    """The prompt that a key names in a workspace. Foreign and absent alike raise `NotFound`."""
    return or_not_found(prompts_in(workspace).filter(key=key).first())


def versions_in(workspace: Workspace, prompt: Prompt) -> QuerySet[PromptVersion]:
    """The versions that a workspace sees: its own, and the site's but for drafts; the latest first."""
    seen = Q(workspace=workspace) | (Q(workspace=None) & ~Q(status=VersionStatus.DRAFT))
    return PromptVersion.objects.filter(seen, prompt=prompt).select_related("prompt", "author")


def version_for(workspace: Workspace, key: str, number: int) -> PromptVersion:
    """One version that the workspace sees. Raises `NotFound`."""
    return or_not_found(versions_in(workspace, prompt_for(workspace, key)).filter(number=number).first())


def number_in(text: str) -> int:
    """The number of a version as an address or a form has it; whatever is none names nothing and raises `NotFound`."""
    if not (text.isascii() and text.isdecimal() and len(text) <= _DIGITS):
        raise NotFound
    return int(text)


def active_versions(workspace: Workspace, prompts: Collection[Prompt]) -> dict[int, PromptVersion]:
    """The versions that count in a workspace, by the primary keys of these prompts; without those that have none."""
    seen = Q(workspace=workspace) | Q(workspace=None)
    active = PromptVersion.objects.filter(seen, prompt__in=prompts, status=VersionStatus.ACTIVE)
    rows = active.select_related("prompt").defer("texts").order_by(F("workspace").asc(nulls_first=True))
    return {version.prompt_id: version for version in rows}


def active_in(workspace: Workspace, prompt: Prompt) -> PromptVersion | None:
    """The version that counts in a workspace: its own active one, else the site's; None if there is none."""
    active = versions_in(workspace, prompt).filter(status=VersionStatus.ACTIVE)
    return active.order_by(F("workspace").asc(nulls_last=True)).first()


def active_or_latest(workspace: Workspace, key: str) -> PromptVersion:
    """The version of a prompt that counts in a workspace, else the latest that it sees. Raises `NotFound`."""
    prompt = prompt_for(workspace, key)
    return or_not_found(active_in(workspace, prompt) or versions_in(workspace, prompt).first())


def text_in(version: PromptVersion, language: str) -> str:
    """The text in a language, else in that of the site, else in the first it has."""
    for wanted in (language.partition("-")[0], settings.LANGUAGE_CODE.partition("-")[0], *version.texts):
        if wanted in version.texts:
            return str(version.texts[wanted])
    raise NotFound


def render(version: PromptVersion, language: str, values: Mapping[str, str]) -> RenderedPrompt:
    """The version in a language, with values in the places of its variables."""
    return RenderedPrompt(version, rendered(text_in(version, language), values))
