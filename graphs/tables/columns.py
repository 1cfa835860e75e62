"""The columns of a file and what they are of a kind: its fields by path or label, the id, the parent."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from django.utils.translation import get_language, override
from django.utils.translation import gettext as _

from graphs.objects.headers import parent_of
from graphs.objects.kinds import Field, Kind
from graphs.site.json_values import shown
from graphs.tables.table import TableRefused

ID = "id"
PARENT = "parent"


@dataclass(frozen=True, slots=True)
class Columns:
    """Places of the columns of a file: of the fields by their names, of the id and the parent if they are there."""

    fields: dict[str, int]
    id: int | None
    parent: int | None


def heads_of(kind: Kind) -> list[str]:
    """The heads of a file with all that is known of the kind."""
    return [ID, *([PARENT] if kind.parent else []), *(field.name for field in own_fields(kind))]


def own_fields(kind: Kind) -> list[Field]:
    return [field for field in kind.fields if field.name != PARENT]


def is_known(kind: Kind, head: str) -> bool:
    return head.lower() in _names(kind)


def columns_of(kind: Kind, heads: Collection[str]) -> tuple[Columns, list[TableRefused]]:
    """The columns of the kind, and what is wrong with the others."""
    names, found, problems = _names(kind), dict[str, int](), list[TableRefused]()
    for place, head in enumerate(heads):
        meant = names.get(head.lower(), set())
        if len(meant) != 1:
            problems.append(_unclear(kind, head, meant))
            continue
        (name,) = meant
        if name in found:
            message = _("Two columns are of the field “%(name)s”.") % {"name": name}
            problems.append(TableRefused("column_twice", message, 1, shown(head)))
        found[name] = place
    fields = {name: place for name, place in found.items() if name not in (ID, PARENT)}
    moves = ID in found and PARENT in found
    if not fields and not moves and not problems:
        problems.append(TableRefused("no_fields", _("No column is of a field."), 1))
    return Columns(fields, found.get(ID), found.get(PARENT)), problems


def _unclear(kind: Kind, head: str, meant: Collection[str]) -> TableRefused:
    given = {"head": shown(head), "names": ", ".join(sorted(meant) or heads_of(kind))}
    if meant:
        message = _("“%(head)s” may be each of: %(names)s. Write one of these.") % given
        return TableRefused("column_unclear", message, 1, given["head"])
    message = _("There is no field “%(head)s”. Columns are: %(names)s.") % given
    return TableRefused("unknown_column", message, 1, given["head"])


def _names(kind: Kind) -> dict[str, set[str]]:
    """What each head may mean, in lower case: a path means that field alone, a label each field that has it."""
    found: dict[str, set[str]] = {}
    for language in {"en", get_language() or "en"}:
        with override(language):
            for name, label in _labels(kind):
                found.setdefault(label.strip().lower(), set()).add(name)
    exact = {name.lower(): {name} for name in heads_of(kind)}
    return found | exact


def _labels(kind: Kind) -> Iterator[tuple[str, str]]:
    for field in own_fields(kind):
        yield field.name, str(field.label)
    if (holder := parent_of(kind)) is not None:
        yield PARENT, str(kind.field(PARENT).label)
        yield PARENT, str(holder.label)
