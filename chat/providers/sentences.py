"""Sentences for administrators that know no language but English; who shows them may say them in another."""

from typing import Self


def gettext_noop(text: str) -> str:
    """The text; it is one that has translations (docs/translating.md)."""
    return text


class Sentence(str):
    """A sentence in English: `template`, with `values` in it."""

    template: str
    values: dict[str, object]

    def __new__(cls, template: str, **values: object) -> Self:
        sentence = super().__new__(cls, template % values)
        sentence.template, sentence.values = template, values
        return sentence
