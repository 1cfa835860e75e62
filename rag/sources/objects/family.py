"""An object with what holds it, and what an object holds: one statement each, however many there are."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, F, OuterRef, QuerySet, Subquery, TextField
from django.db.models.functions import Cast, Left

from graphs.models import Object
from graphs.objects.headers import children_of, existing, listed, parent_of, ref_of, rows_with, title_of
from graphs.objects.kinds import KINDS, Field, Kind
from graphs.objects.refs import Ref
from graphs.site.access import Member
from rag.sources.objects.texts import as_text, forms_of, words_in, words_of

#: Objects that one holds of which all are looked at; of more the first by title.
MAX_HELD = 2_000
#: Texts of an object that are told of it in a list, and characters of each.
BRIEF = 2
BRIEF_CHARS = 240
#: No field of a model is called so.
_OWN = "told_"


@dataclass(frozen=True, slots=True)
class Holder:
    """An object that holds another one."""

    kind: Kind
    row: Any

    @property
    def ref(self) -> Ref:
        return ref_of(self.kind, self.row)

    @property
    def title(self) -> str:
        return title_of(self.kind, self.row)

    @property
    def header(self) -> Object:
        """As what is held by it is listed; nothing is read for it."""
        return self.row if isinstance(self.row, Object) else Object(type=self.kind.name, key=self.ref.key)


@dataclass(frozen=True, slots=True)
class Held:
    """An object that another one holds, in brief. `header` is the number by which vectors name it, 0 without one.

    `words` are those of the question that it has; `choices` the values of its fields that have but a few; `holds` says
    how many objects it holds; `columns` is what was asked for besides.
    """

    ref: Ref
    title: str
    header: int
    words: tuple[str, ...]
    brief: Mapping[str, str]
    choices: Mapping[str, str]
    holds: Mapping[str, int]
    columns: Mapping[str, Any] = field(default_factory=dict)


def whole_kind(kind: Kind) -> Kind:
    """The kind that this one is a view of, or itself."""
    return KINDS[kind.view_of] if kind.view_of else kind


def with_holders(member: Member, of: Object) -> tuple[Any, list[Holder]]:
    """The row of an object, None if it is gone, and those that hold it and the member may see, the nearest first.

    A view is held by its whole.
    """
    kind = KINDS[of.type]
    whole = whole_kind(kind)
    steps = list(_steps(whole))
    rows = rows_with(whole, member.workspace.pk, [of.key])
    paths = ["__".join(each.parent for each in steps[: end + 1]) for end in range(len(steps))]
    row = (rows.select_related(*paths) if paths else rows).first()
    if row is None:
        return None, []
    holders = [Holder(whole, row)] if kind is not whole else []
    held = row
    for each in steps:
        held, holder = getattr(held, each.parent), parent_of(each)
        if held is None or holder is None or not _is_seen(member, holder, held):
            break
        holders.append(Holder(holder, held))
    return row, holders


def held_by(member: Member, child: Kind, holder: Holder, question: str, columns: Mapping[str, Any]) -> list[Held]:
    """What an object holds of a kind, by title: of more than `MAX_HELD` one more than these, which says so."""
    rows = listed(member, child, parent=holder.header)
    texts, choices, forms = brief_fields(child), choice_fields(child), forms_of(question)
    grandchildren = [each for each in children_of(child) if each.may_see is None]
    asked: dict[str, Any] = {
        "key": Cast("key" if issubclass(child.model, Object) else "pk", TextField()),
        "title": as_text(child.field(child.title)),
        "header": F("pk") if issubclass(child.model, Object) else _header(member, child),
        "words": words_in(child, forms),
        **{f"text_{at}": Left(as_text(each), BRIEF_CHARS + 1) for at, each in enumerate(texts)},
        **{f"choice_{at}": F(each.column) for at, each in enumerate(choices)},
        **{f"holds_{at}": _count(each) for at, each in enumerate(grandchildren)},
        **{f"column_{name}": expression for name, expression in columns.items()},
    }
    annotated: QuerySet[Any] = rows.annotate(**{f"{_OWN}{name}": each for name, each in asked.items()})
    found = annotated.values_list(*(f"{_OWN}{name}" for name in asked))[: MAX_HELD + 1]
    rows_told = (dict(zip(asked, values, strict=True)) for values in found)
    return [_held(child, texts, choices, grandchildren, forms, told, columns) for told in rows_told]


def brief_fields(kind: Kind) -> list[Field]:
    """The first texts of a kind that say something beside the title."""
    texts = [each for each in kind.fields if each.form == "text" and not (each.minor or each.fixed or each.is_rest)]
    return [each for each in texts if each.name != kind.title and each not in choice_fields(kind)][:BRIEF]


def choice_fields(kind: Kind) -> list[Field]:
    """The fields of a kind whose model names the values that they may have."""
    columns = {column.name: column for column in kind.model._meta.concrete_fields}
    return [each for each in kind.fields if not each.inside and getattr(columns.get(each.column), "choices", None)]


def _steps(kind: Kind) -> Iterator[Kind]:
    """The kinds from this one up, each with a parent; a kind that holds its own kind is gone up once."""
    met: list[str] = []
    at: Kind | None = kind
    while at is not None and at.parent and at.name not in met:
        yield at
        met.append(at.name)
        at = parent_of(at)


def _is_seen(member: Member, kind: Kind, row: Any) -> bool:
    """Whether a row is of the member's workspace, and one that they may see."""
    if kind.rows is None or kind.workspace == "workspace":
        here = row.workspace_id == member.workspace.pk
    else:
        here = existing(member.workspace.pk, ref_of(kind, row)) is not None
    return here and (kind.may_see is None or kind.may_see(member, row))


def _held(
    child: Kind,
    texts: Sequence[Field],
    choices: Sequence[Field],
    grandchildren: Sequence[Kind],
    forms: Mapping[str, str],
    told: Mapping[str, Any],
    columns: Iterable[str],
) -> Held:
    return Held(
        Ref(child.name, told["key"]),
        told["title"] or told["key"],
        told["header"] or 0,
        words_of(told["words"], forms),
        {each.name: text for at, each in enumerate(texts) if (text := told[f"text_{at}"])},
        {each.name: str(value) for at, each in enumerate(choices) if (value := told[f"choice_{at}"])},
        {each.name: count for at, each in enumerate(grandchildren) if (count := told[f"holds_{at}"])},
        {name: told[f"column_{name}"] for name in columns},
    )


def _header(member: Member, kind: Kind) -> Subquery:
    key = Cast(OuterRef("pk"), TextField())
    return Subquery(Object.objects.filter(workspace=member.workspace, type=kind.name, key=key).values("pk")[:1])


def _count(kind: Kind) -> Subquery:
    rows = kind.model._default_manager.filter(**{kind.parent: OuterRef("pk")}).order_by()
    return Subquery(rows.values(kind.parent).annotate(told_count=Count("pk")).values("told_count"))
