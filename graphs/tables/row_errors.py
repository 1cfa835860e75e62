"""What is wrong with rows of a file, told by row and by column."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from pydantic import ValidationError

from graphs.objects.actions import ChangeRefused, mistakes_for_people
from graphs.objects.kinds import Kind
from graphs.tables.table import TableRefused


@dataclass(frozen=True, slots=True)
class RowError:
    """Why a row cannot be imported; without a `row` it is the whole file, without a `column` the whole row.

    `column` is the path of a field, `head` what the file calls it.
    """

    row: int | None
    column: str
    code: str
    message: str
    head: str = ""


class RowRefused(Exception):
    def __init__(self, errors: Sequence[RowError]) -> None:
        super().__init__(f"{len(errors)} errors")
        self.errors = errors


@contextmanager
def as_errors(kind: Kind, row: int, heads: Mapping[str, str]) -> Iterator[None]:
    """Within it, what refuses a change is told of the row and of the columns that it names, by their `heads`."""
    try:
        yield
    except ChangeRefused as refused:
        raise RowRefused(list(_named(kind, row, heads, refused.problems))) from refused
    except ValidationError as error:
        raise RowRefused([RowError(row, "", "refused", mistakes_for_people(error))]) from error


def _named(kind: Kind, row: int, heads: Mapping[str, str], problems: Iterable[str]) -> Iterator[RowError]:
    """The problems by field. A column of several fields says nothing more where one of these is wrong."""
    told = [problem.partition(": ") for problem in problems]
    shared = {field.column for field in kind.fields if field.inside and field.column not in kind.by_name}
    for name, colon, sentence in told:
        if colon and name in shared and any(other.startswith(f"{name}.") for other, _colon, _sentence in told):
            continue
        if colon and (field := _field_of(kind, name)):
            within = name.removeprefix(field).lstrip(".")
            yield RowError(
                row, field, "refused", f"{within}: {sentence}" if within else sentence, heads.get(field, field)
            )
        else:
            yield RowError(row, "", "refused", f"{name}{colon}{sentence}")


def _field_of(kind: Kind, path: str) -> str:
    """The field that a path leads to, or into: "data.valueScores" of "data.valueScores.0.rating". "" for none."""
    parts = path.split(".")
    tried = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((name for name in tried if name in kind.by_name), "")


def of_file(refused: TableRefused) -> RowError:
    return RowError(refused.row, refused.column, refused.code, str(refused), refused.column)
