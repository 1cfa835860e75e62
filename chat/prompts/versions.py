"""The wording that a model was sent, level 1 and the tools of every role, as a digest that answers keep."""

import hashlib
from collections.abc import Iterator
from functools import cache

from chat.prompts.system import prompt_text
from chat.subjects.registered_subjects import SUBJECTS, every_subject, subject_of
from chat.subjects.tools import specs
from chat.tools.web import web_tools
from graphs.models import Role
from graphs.objects.kinds import KINDS
from graphs.site.access import Member


def version_for(member: Member) -> str:
    """Names the wording that a member's runs get."""
    return f"{prompt_version()}:{member.role}"


def prompt_version() -> str:
    """A digest of the texts; another one as soon as a sentence, a tool or a number in them is another one."""
    return _digest((*KINDS, *SUBJECTS, *(tool.name for tool in web_tools())))


def wordings(role: Role) -> list[tuple[str, str]]:
    """What conversations of a role are told first, by the kind that they are about; "" for any other."""
    named = [(kind, subject_of(kind)) for kind in (*SUBJECTS, "")]
    return [(kind, prompt_text(role, subject, next(iter(subject.examples())))) for kind, subject in named]


@cache
def _digest(_known: tuple[str, ...]) -> str:
    return hashlib.sha256("\0".join(_texts()).encode()).hexdigest()[:12]


def _texts() -> Iterator[str]:
    for role in Role:
        for subject in every_subject():
            yield from (prompt_text(role, subject, example) for example in subject.examples())
            yield from (tool.text for tool in specs(role, subject, loaded=True, summarised=True))
