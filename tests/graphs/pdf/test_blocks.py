"""graphs/pdf: what a text consists of, and how it is set."""

import pytest
from pypdf import PdfReader

from graphs.pdf import making
from graphs.pdf.blocks import MOST_CHARS, Block, plain
from graphs.pdf.making import NotMade, pdf
from graphs.pdf.markdown import MOST_PARSED, blocks_of


def test_markdown_becomes_blocks() -> None:
    lists = "1. one\n   - *in*\n2. two\n\n   more\n\n"
    text = f"## Head\n\nSome **bold** `code`.\n\n{lists}```py\nx = 1\n```\n\n|a|b|\n|-|-|\n|1|2|\n"
    assert [(each.kind, each.text, each.level, each.marker) for each in blocks_of(text)] == [
        ("heading", "Head", 2, ""),
        ("text", "Some bold code.", 0, ""),
        ("item", "one", 1, "1."),
        ("item", "in", 2, "•"),
        ("item", "two", 1, "2."),
        ("item", "more", 1, ""),
        ("code", "x = 1", 0, ""),
        ("text", "a | b", 0, ""),
        ("text", "1 | 2", 0, ""),
    ]
    assert next(blocks_of("a **b** `c`")).runs == (("a ", ""), ("b", "strong"), (" ", ""), ("c", "code"))
    assert next(blocks_of("<b>x</b> <script>")).text == "<b>x</b> <script>"
    assert {each.kind for each in blocks_of("- " * MOST_PARSED)} == {"text"}


@pytest.mark.parametrize(
    ("text", "rtl", "script"),
    [
        ("(1) שלום", True, "sc"),
        ("مرحبا English", True, "sc"),
        ("English مرحبا", False, "sc"),
        ("12 你好", False, "sc"),
        ("直す", False, "jp"),
        ("直 안녕", False, "kr"),
    ],
)
def test_a_block_knows_direction_and_script(text: str, rtl: bool, script: str) -> None:
    told = Block("text", ((text, ""),)).to_json()
    assert (told["rtl"], told["script"]) == (rtl, script)
    assert Block("code", ((text, ""),)).to_json()["rtl"] is False


def test_long_texts_are_several_blocks_and_lose_nothing() -> None:
    text = "x" * (MOST_CHARS + 1)
    assert "".join(each.text for each in plain("code", text)) == text
    assert [each.text for each in plain("text", "a\n\nb")] == ["a", "b"]
    assert Block("text", (("a\x00\x1b[b", ""),)).to_json()["runs"] == [["a[b", ""]]


def test_parts_go_on_counting_pages_and_nothing_is_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "PART_CHARS", 10)
    injected = '#panic("x") #read("/etc/passwd") $x$ *y* \\u{41}'
    with pdf("A title", [*plain("text", injected), *plain("text", "second part")], "en") as file:
        pages = [page.extract_text() for page in PdfReader(file).pages]
    assert len(pages) == 2
    assert injected.split()[0] in pages[0]
    assert "$x$ *y* \\u{41}" in pages[0]
    assert (pages[0].split()[-1], pages[1].split()[-1]) == ("1", "2")


def test_a_process_that_fails_makes_no_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "_ROOT", making._ROOT / "docs")
    with pytest.raises(NotMade):
        pdf("A title", [], "en")
