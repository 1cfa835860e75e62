"""chat/ui_strings.py: every text of the widget can be translated, and no text is translated in vain."""

import re
from pathlib import Path

from chat.ui_strings import STRINGS

SOURCES = Path(__file__).resolve().parents[2] / "chat/static/chat"
CALL = re.compile(r'\bt\(\s*"((?:[^"\\]|\\.)*)"')
ANY_CALL = re.compile(r"(?<![\w.])t\(")


def texts() -> list[str]:
    return [path.read_text() for path in SOURCES.rglob("*.js")]


def test_it_lists_exactly_the_texts_of_the_widget() -> None:
    used = {text for source in texts() for text in CALL.findall(source)}
    assert used == set(STRINGS)


def test_it_finds_every_text() -> None:
    for source in texts():
        assert len(ANY_CALL.findall(source)) == len(CALL.findall(source))


def test_it_lists_no_text_twice() -> None:
    assert len(STRINGS) == len(set(STRINGS))
