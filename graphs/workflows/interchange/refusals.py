"""How a file is refused, and what is told of one that is read. Nothing here knows a format."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from django.utils.translation import gettext as _

from graphs.site.json_values import shown

WarningCode = Literal["dangling", "duplicate", "key_taken", "secret_left_out", "type_differs", "unusual_edge"]

#: Most problems that one refusal tells; the reader stops there.
MAX_PROBLEMS = 20
#: Most warnings that are told of a file; more are counted.
MAX_WARNINGS = 1_000


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a file is refused. `where` is a line or a path such as `nodes[3].name`; empty for the whole file."""

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message


@dataclass(frozen=True, slots=True)
class FileWarning(Problem):
    """Something that a foreign file has and the graph will not have, or not as it was."""

    code: WarningCode


@dataclass(slots=True)
class Warnings:
    """The first warnings of a file, and how many there are."""

    found: list[FileWarning] = field(default_factory=list)
    count: int = 0

    def append(self, warning: FileWarning) -> None:
        self.count += 1
        if len(self.found) < MAX_WARNINGS:
            self.found.append(warning)

    def only_counted(self) -> bool:
        """Whether there are enough; then the next one is counted, and nobody has to say it."""
        enough = len(self.found) >= MAX_WARNINGS
        self.count += enough
        return enough


class ImportRefused(Exception):
    """The file cannot be trusted; nothing of it was imported."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(str(problem) for problem in problems))
        self.problems = problems


@dataclass(slots=True)
class Problems:
    """Collects problems; raises `ImportRefused` by itself once there are `MAX_PROBLEMS`."""

    found: list[Problem] = field(default_factory=list)

    def add(self, where: str, message: str) -> None:
        self.found.append(Problem(where, message))
        if len(self.found) >= MAX_PROBLEMS:
            self.found.append(Problem("", _("There may be more problems; these are the first.")))
            self.refuse_if_any()

    def refuse_if_any(self) -> None:
        if self.found:
            raise ImportRefused(self.found)


def refuse(where: str, message: str) -> ImportRefused:
    """The refusal for one problem, to be raised."""
    return ImportRefused([Problem(where, message)])


def path(steps: Iterable[str | int]) -> str:
    """The way to a value in a document: `nodes[3].name`, `connections["On click"].main[0]`."""
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step.isidentifier():
            text += f".{shown(step)}" if text else shown(step)
        else:
            text += f'["{shown(step)}"]'
    return text
