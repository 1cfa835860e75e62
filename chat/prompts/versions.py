"""Which wording a model was sent: level 1 and the tools, as every role gets them. Sessions and answers keep it."""

import hashlib
from collections.abc import Iterable, Iterator
from functools import cache

from chat.prompts.system import MAX_SHEETS, MAX_TYPES, prompt_text
from chat.tools.registry import specs
from graphs.models import Graph, Role
from graphs.objects.refs import Ref
from graphs.site.access import Member
from graphs.workflows.node_types import BUILT_IN, TypeRecord
from graphs.workflows.sources import GraphSource


class _Example(GraphSource):
    """A graph with something for every sentence that a prompt may say of one. Nothing of it is stored."""

    def __init__(self) -> None:
        super().__init__(Graph(key="example", name="Example", description="An example."))

    def sheets(self) -> tuple[tuple[str, str], ...]:
        return tuple((f"sheet-{number}", f"Sheet {number}") for number in range(MAX_SHEETS + 1))

    def types(self, keys: Iterable[str] | None = None) -> list[TypeRecord]:
        (described, *_others) = BUILT_IN.values()
        handles = described.handles
        return [TypeRecord(f"type-{n}", f"Type {n}", "A type.", handles=handles) for n in range(MAX_TYPES + 1)]


class _EmptyExample(_Example):
    def types(self, keys: Iterable[str] | None = None) -> list[TypeRecord]:
        return []


def version_for(member: Member) -> str:
    """Names the wording that a member's runs get."""
    return f"{prompt_version()}:{member.role}"


@cache
def prompt_version() -> str:
    """A digest of the texts; another one as soon as a sentence, a tool or a number in them is another one."""
    return hashlib.sha256("\0".join(_texts()).encode()).hexdigest()[:12]


def _texts() -> Iterator[str]:
    for role in Role:
        for source in (None, Ref("example", "1"), _Example(), _EmptyExample()):
            yield prompt_text(role, source)
        for context_type in ("", "graph"):
            yield from (tool.text for tool in specs(role, context_type))
