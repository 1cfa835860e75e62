"""The texts of rows, and the words of a question that they have."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import CharField, F, Func, TextField, Value
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast

from graphs.objects.kinds import Field, Kind
from rag.texts.words import forms, search_words

#: Words of a question that are looked for.
MAX_WORDS = 8


def as_text(field: Field) -> Cast:
    """The value of a field as text, within JSON as well."""
    *outer, last = [field.column, *field.inside]
    value: Any = last
    if outer:
        value = F(outer[0])
        for key in outer[1:]:
            value = KeyTransform(key, value)
        value = KeyTextTransform(last, value)
    return Cast(value, CharField())


def needles(question: str) -> list[tuple[str, ...]]:
    """What is looked for in fields: the question as it is, and its first and last words, each in its forms."""
    words = search_words(question)
    ends = words if len(words) <= MAX_WORDS else words[: MAX_WORDS // 2] + words[-MAX_WORDS // 2 :]
    each = [*map(forms, ends)]
    return each if any(question in some for some in each) or not question.strip() else [(question,), *each]


def forms_of(question: str) -> dict[str, str]:
    """The words of a question by the forms in which a text may have them."""
    return {form.lower(): some[0].lower() for some in needles(question) for form in some}


def words_in(kind: Kind, looked_for: Iterable[str]) -> Func:
    """Those of the forms that the texts of a row of a kind have."""
    return _Words(_searched(kind), needles=[*looked_for])


def words_of(found: Iterable[str], of: Mapping[str, str]) -> tuple[str, ...]:
    """The words whose forms were found, each once."""
    return tuple(dict.fromkeys(of[form] for form in found))


def _searched(kind: Kind) -> Func:
    """All texts of a row. A JSON column of which every key is shown is read once, as a whole."""
    whole = {each.column for each in kind.fields if each.is_rest}
    inside = [each for each in kind.fields if each.form in ("text", "code", "json") and each.column not in whole]
    return Func(
        Value(" "), *map(F, sorted(whole)), *map(as_text, inside), function="concat_ws", output_field=TextField()
    )


class _Words(Func):
    """Those of the needles that a text has. It is put together and written small once for all of them."""

    def __init__(self, text: Any, *, needles: Sequence[str], **extra: Any) -> None:
        super().__init__(text, output_field=TextField(), **extra)
        self.needles = [*needles]

    def as_sql(self, compiler: Any, connection: Any, *_given: Any, **_context: Any) -> tuple[str, tuple[Any, ...]]:
        text, values = compiler.compile(self.source_expressions[0])
        some = "SELECT needle FROM unnest(%s::text[]) AS needle WHERE strpos(held.words, needle) > 0"
        held = f"SELECT lower({text}) AS words OFFSET 0"
        return f"(SELECT ARRAY({some}) FROM ({held}) AS held)", (self.needles, *values)  # noqa: S608 - from the ORM

    def get_group_by_cols(self) -> list[Any]:
        return []
