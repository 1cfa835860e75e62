"""Rows whose texts hold every word of a search: the texts of a row are read once, however many words there are."""

from collections.abc import Sequence
from typing import Any

from django.db.models import BooleanField, F, Func, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Replace, Upper

from graphs.objects.kinds import Field, Kind

#: Words that are looked for at once.
MOST_WORDS = 8


def words_of(text: str) -> list[str]:
    """The words of a search, each once, in capitals or not; there may be more of them than are looked for."""
    found: dict[str, str] = {}
    for word in text.replace("\x00", "").split():
        found.setdefault(word.lower(), word)
    return list(found.values())


def having_words(kind: Kind, words: Sequence[str]) -> Func:
    """The condition that each of the words is in a text, or in a list of texts, of a kind; choices are no texts."""
    columns: Any = kind.model._meta
    texts = [
        _text_of(field)
        for field in kind.fields
        if field.texts or (field.form == "text" and not columns.get_field(field.column).choices)
    ]
    return holding(texts, words)


def _text_of(field: Field) -> Combinable:
    if not field.inside:
        return F(field.column)
    text = KT("__".join((field.column, *field.inside)))
    if not field.texts:
        return text
    # A list is read as its JSON, which is one look at each row: quotes and backslashes are escaped there.
    return Replace(Replace(text, Value('\\"'), Value('"')), Value("\\\\"), Value("\\"))


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
