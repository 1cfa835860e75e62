"""The prompts that come with Countersign: version 1 of each, in English and in French, from the files in `texts`."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext_noop

from chat.managed_prompts.template import checked
from chat.models import Prompt, PromptType, PromptVersion, VersionStatus

_TEXTS = Path(__file__).parent / "texts"
_WORDS = {
    PromptType.COMPANY_INFO: (
        gettext_noop("Facts about a company"),
        gettext_noop("Fills in the fields of a company from its name and what is known of it."),
    ),
    PromptType.FOLDER_NAME: (
        gettext_noop("Name and description of a folder"),
        gettext_noop("Finds a name and a description that say what the use cases of a folder are about."),
    ),
    PromptType.USE_CASE_LIST: (
        gettext_noop("List of use cases"),
        gettext_noop("Finds new use cases for a folder, each with a name and a description."),
    ),
    PromptType.USE_CASE_DETAIL: (
        gettext_noop("Details of a use case"),
        gettext_noop("Works out one use case and rates it on every axis of its folder, with reasons."),
    ),
    PromptType.EXECUTIVE_SUMMARY: (
        gettext_noop("Executive summary of a folder"),
        gettext_noop("Sums a folder up for who decides: introduction, analysis, recommendation, references."),
    ),
}


def store() -> None:
    """Puts those into the database that it does not have yet; whoever did so at the same time was first."""
    if Prompt.objects.filter(workspace=None, key__in=_WORDS, versions__workspace=None).count() >= len(_WORDS):
        return
    with transaction.atomic():
        new = [
            Prompt(key=type_, name=name, description=description, type=type_)
            for type_, (name, description) in _WORDS.items()
        ]
        Prompt.objects.bulk_create(new, ignore_conflicts=True)
        stored = Prompt.objects.filter(workspace=None, key__in=_WORDS)
        first = [_first_version(prompt) for prompt in stored]
        PromptVersion.objects.bulk_create(first, ignore_conflicts=True)


def _first_version(prompt: Prompt) -> PromptVersion:
    texts = texts_of(prompt.key)
    return PromptVersion(
        prompt=prompt,
        number=1,
        texts=dict(texts),
        variables=checked(prompt.type, texts, None),
        status=VersionStatus.ACTIVE,
    )


@cache
def texts_of(key: str) -> Mapping[str, str]:
    """The text in each language."""
    return {
        language: (_TEXTS / f"{key}.{language}.md").read_text(encoding="utf-8").strip()
        for language, _name in settings.LANGUAGES
    }
