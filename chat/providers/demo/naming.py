"""What fields, statuses, kinds and places are called in both languages (`names.toml`)."""

import tomllib
from pathlib import Path

from chat.providers.demo.folding import bare, folded

#: name of the program -> language -> what it is called
Table = dict[str, dict[str, list[str]]]
NAMES: dict[str, Table] = tomllib.loads((Path(__file__).parent / "names.toml").read_text("utf-8"))
LANGUAGES = ("en", "fr")


def called(table: str, name: str, language: str) -> str:
    """The word for a name of the program; the name itself where it has none."""
    known = NAMES[table].get(name)
    return known[language][0] if known else name


def field_called(name: str, language: str) -> str:
    """The word for a field, by the last part of its name."""
    return called("fields", name.rpartition(".")[2], language)


def counted(table: str, name: str, count: int, language: str) -> str:
    """ "6 use cases", "4 drafts"; of a kind without a word "widget (6)"."""
    known = NAMES[table].get(name)
    several = count > 1 if language == "fr" else count != 1
    return f"{count} {known[language][several]}" if known else f"{name} ({count})"


def meant(table: str, words: str) -> str:
    """The name of the program for these words, in either language; "" where they name none."""
    said = bare(words)
    return next((name for name, known in NAMES[table].items() if said in _forms(name, known)), "")


def one_of(table: str) -> str:
    """A part of a sentence: any of the names of a table, the longest first."""
    names = {folded(each) for known in NAMES[table].values() for words in known.values() for each in words}
    return f"({'|'.join(sorted(names, key=lambda name: (-len(name), name)))})"


def _forms(name: str, known: dict[str, list[str]]) -> set[str]:
    return {bare(name), *(bare(each) for language in LANGUAGES for each in known[language])}
