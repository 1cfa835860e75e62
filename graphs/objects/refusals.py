"""How a change is refused before anything was done, and how a refusal names things."""

from collections.abc import Iterable
from itertools import islice

from django.utils.translation import gettext as _

#: Problems that one refusal tells.
MAX_SENTENCES = 5


class ChangeRefused(Exception):
    """What was asked for cannot be done as it was asked; its text says, to a model or a person, what to do instead."""

    def __init__(self, *problems: str) -> None:
        sentences = list(problems[:MAX_SENTENCES])
        if more := len(problems) - len(sentences):
            sentences.append(_("And {count} more.").format(count=more))
        super().__init__("\n".join(sentences))
        self.problems = problems


def some(keys: Iterable[str], most: int = 20) -> str:
    """The first keys, to name in a refusal."""
    first = list(islice(keys, most + 1))
    return ", ".join(first[:most]) + (" …" if len(first) > most else "")
