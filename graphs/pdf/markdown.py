"""Markdown as blocks: headings, paragraphs, lists, code and tables; what it links to is told by its text."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from graphs.pdf.blocks import MOST_CHARS, Block, Style, plain

#: Characters of which there are no better blocks than the text itself: of a longer one it would take seconds.
MOST_PARSED = 50_000
_BREAK = re.compile("\r\n?")
#: What begins HTML where other Markdown is read, last: code, what is escaped, and addresses of links are none.
_HTML = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)|\\.|<(?:https?|mailto):[^\s<>]*>|<", re.DOTALL)
_CELL = re.compile(r"[^|]+")
_STYLES: dict[str, Style] = {"strong": "strong", "em": "emph"}


def blocks_of(text: str) -> Iterator[Block]:
    """The blocks of a Markdown text. One that would take too long to parse is shown as it is."""
    if len(text) > MOST_PARSED:
        yield from plain("text", text)
        return
    lists = _Lists()
    level, cells = 0, list[str]()
    for token in _parser().parse(text):
        lists.read(token)
        match token.type:
            case "heading_open":
                level = int(token.tag[1:])
            case "heading_close":
                level = 0
            case "tr_close":
                yield from plain("text", " | ".join(cells))
                cells = []
            case "fence" | "code_block":
                yield from plain("code", token.content.rstrip("\n"))
            case "inline" if _is_cell(token):
                cells.append("".join(text for text, _style in _runs(token)))
            case "inline" if lists.depth:
                yield Block("item", _runs(token), lists.depth, lists.take_marker())
            case "inline":
                yield Block("heading" if level else "text", _runs(token), level)


def as_part(text: str, levels: int) -> str:
    """The Markdown text as a part of another one: its headings so many levels deeper, and nothing reaches beyond it.

    HTML is text, as it is where people read it. One that would take too long to parse is code.
    """
    if len(text) > MOST_PARSED:
        return "".join(f"    {line}\n" for line in text.splitlines())
    lines = _BREAK.sub("\n", text).split("\n")
    tokens = _parser().parse("\n".join(lines))
    for token, inner in pairwise([*tokens, None]):
        if token is None or not token.map:
            continue
        first, last = token.map
        if token.type == "heading_open" and inner and not token.level:
            title = without_html(" ".join(inner.content.split()))
            lines[first:last] = [f"{'#' * min(int(token.tag[1:]) + levels, 6)} {title}", *[""] * (last - first - 1)]
        elif token.type in ("paragraph_open", "heading_open"):
            lines[first:last] = without_html("\n".join(lines[first:last])).split("\n")
        elif token.type == "table_open":
            cells = (_CELL.sub(lambda cell: without_html(cell[0]), line) for line in lines[first:last])
            lines[first:last] = cells
        elif token.type == "fence" and not token.level and not _is_closed(token, lines[last - 1]):
            lines.insert(last, token.markup)
    return "\n".join(lines)


def without_html(text: str) -> str:
    """The Markdown text of a paragraph, a heading or a cell, in which HTML is text."""
    return _HTML.sub(lambda found: r"\<" if found[0] == "<" else found[0], text)


def _is_closed(fence: Token, line: str) -> bool:
    first, last = fence.map or (0, 0)
    return last - first > 1 and line.strip().startswith(fence.markup) and not line.strip(fence.markup[0] + " \t")


class _Lists:
    """The lists within which a token stands: how many, and what stands before the next item."""

    def __init__(self) -> None:
        #: The number of the next item of each; 0 where it has none.
        self._numbers: list[int] = []
        self._marker = ""

    @property
    def depth(self) -> int:
        return len(self._numbers)

    def read(self, token: Token) -> None:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            self._numbers.append(int(token.attrs.get("start", 1)) if token.type.startswith("ordered") else 0)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            self._numbers.pop()
        elif token.type == "list_item_open":
            number = self._numbers[-1]
            self._marker = f"{number}." if number else "•"
            self._numbers[-1] += bool(number)

    def take_marker(self) -> str:
        """What stands before an item, once: its second paragraph has nothing there."""
        marker, self._marker = self._marker, ""
        return marker


def _is_cell(token: Token) -> bool:
    return bool(token.meta.get("cell"))


def _runs(token: Token) -> tuple[tuple[str, Style], ...]:
    """The texts of a paragraph with their styles; emphasis within emphasis is what is innermost."""
    styles: list[Style] = []
    runs: list[tuple[str, Style]] = []
    for child in token.children or ():
        name, _underscore, edge = child.type.partition("_")
        if name in _STYLES and edge == "open":
            styles.append(_STYLES[name])
        elif name in _STYLES:
            styles.pop()
        elif child.type in ("softbreak", "hardbreak"):
            runs.append(("\n" if child.type == "hardbreak" else " ", ""))
        elif child.content:
            style: Style = "code" if child.type == "code_inline" else styles[-1] if styles else ""
            runs.append((child.content[:MOST_CHARS], style))
    return tuple(runs)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.core.ruler.after("block", "cells", _mark_cells)
    return parser


def _mark_cells(state: StateCore) -> None:
    """Says of each inline token whether it is a cell of a table."""
    for before, token in pairwise(state.tokens):
        if before.type in ("th_open", "td_open"):
            token.meta["cell"] = True
