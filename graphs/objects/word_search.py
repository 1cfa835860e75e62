"""Rows whose texts hold every word of a search: the texts of a row are read once, however many words there are."""

from collections.abc import Sequence
from typing import Any

from django.db.models import BooleanField, F, Func, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Upper

from graphs.objects.kinds import Kind

#: Words that are looked for at once.
MOST_WORDS = 8


def words_of(text: str) -> list[str]:
    """The words of a search, each once, in capitals or not; there may be more of them than are looked for."""
    found: dict[str, str] = {}
    for word in text.replace("\x00", "").split():
        found.setdefault(word.lower(), word)
    return list(found.values())


def having_words(kind: Kind, words: Sequence[str]) -> Func:
    """The condition that each of the words is in one of the texts of a kind; choices are no texts."""
    columns: Any = kind.model._meta
    texts = [
        KT("__".join((field.column, *field.inside))) if field.inside else F(field.column)
        for field in kind.fields
        if field.form == "text" and not columns.get_field(field.column).choices
    ]
    return holding(texts, words)


def holding(texts: Sequence[Combinable], words: Sequence[str]) -> Func:
    """The condition that each of the words is in one of the texts. No word goes over the line between two of them."""
    whole = Func(
        Value("\n"), *(texts or [Cast(Value(""), TextField())]), function="CONCAT_WS", output_field=TextField()
    )
    patterns = [Upper(Value(f"%{_escaped(word)}%")) for word in words]
    wanted = Func(*patterns, template="(ARRAY[%(expressions)s]::text[])", output_field=TextField())
    return Func(
        Upper(whole), wanted, template="(%(expressions)s)", arg_joiner=" LIKE ALL ", output_field=BooleanField()
    )


def _escaped(word: str) -> str:
    """The word for a pattern, in which each sign stands for itself."""
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
