"""Every attack cut at every place: what is shown on the way is harmless, and the end does not depend on the cut."""

from typing import Any

import pytest
from playwright.sync_api import Page

from tests import hostile
from tests.chat.widget.fake_server import FakeServer

pytestmark = pytest.mark.browser

#: Shows every beginning of a text as it would look while more is on the way, then the whole, in one growing document
#: and in one that saw only this cut; gives the tags that were ever shown, and the cuts whose end looked different.
SHOW = """async (texts) => {
  const { Markdown } = await import("/static/chat/widget/markdown.js");
  const tags = new Set(), different = [];
  const fresh = () => {
    const element = document.createElement("div");
    document.body.append(element);
    return { element, markdown: new Markdown(element) };
  };
  const note = (element) => element.querySelectorAll("*").forEach((each) => {
    tags.add(each.tagName);
    for (const { name } of each.attributes) if (/^(on|style|src)/.test(name)) tags.add(`${each.tagName} ${name}`);
    if (each.href && !/^(https?|mailto):/.test(each.href)) tags.add(each.href);
  });
  for (const text of texts) {
    const whole = fresh(), growing = fresh();
    whole.markdown.show(text);
    const wanted = whole.element.innerHTML;
    for (let cut = 1; cut < text.length; cut += 1) {
      growing.markdown.show(text.slice(0, cut), { open: true });
      const cutOnce = fresh();
      cutOnce.markdown.show(text.slice(0, cut), { open: true });
      if (cutOnce.element.innerHTML !== growing.element.innerHTML) different.push([text, cut, "on the way"]);
      note(cutOnce.element);
      cutOnce.markdown.show(text);
      if (cutOnce.element.innerHTML !== wanted) different.push([text, cut, "at the end"]);
      cutOnce.element.remove();
    }
    growing.markdown.show(text);
    if (growing.element.innerHTML !== wanted) different.push([text, text.length, "grown"]);
    note(growing.element);
    whole.element.remove();
    growing.element.remove();
  }
  return { tags: [...tags], different };
}"""


#: Texts whose shape makes parsers slow or deep.
SHAPES = {
    "quotes": "> " * 10_000 + "x",
    "quotes without spaces": ">" * 10_000,
    "lists in lists": "\n".join("  " * depth + "- x" for depth in range(1_000)),
    "markers": "- " * 10_000 + "x",
    "brackets": "[" * 10_000 + "](http://a.example)" * 1_000,
    "images": "![" * 10_000,
    "emphasis": "*a **b_ " * 5_000,
    "ticks": "".join("`" * (width % 200 + 1) + " " for width in range(1_000)),
    "cells": "|" * 5_000 + "\n" + "|-" * 5_000 + "|\n" + "|a" * 5_000,
    "a long line": "x" * 300_000,
    "an open fence": "```\n" + "code line\n" * 20_000,
    "marks": "e" + "\u0301" * 50_000,
    "turned around": "\u202e" * 20_000,
}
GROW = """async (text) => {
  const { Markdown } = await import("/static/chat/widget/markdown.js");
  const markdown = new Markdown(document.createElement("div"));
  for (let step = 1; step <= 10; step += 1) {
    markdown.show(text.slice(0, (text.length * step) / 10), { open: step < 10 });
  }
  return markdown.element.textContent.length;
}"""


@pytest.fixture
def blank(page: Page, server: FakeServer) -> Page:
    page.goto(f"{server.url}/blank.html")
    return page


@pytest.mark.parametrize("kind", hostile.payloads("evil.example"))
def test_no_cut_changes_what_is_shown(blank: Page, kind: str) -> None:
    found: dict[str, Any] = blank.evaluate(SHOW, hostile.payloads("evil.example")[kind])
    assert set(found["tags"]) <= hostile.ALLOWED_TAGS
    assert found["different"] == []


def test_no_cut_between_two_attacks_changes_what_is_shown(blank: Page) -> None:
    kinds = hostile.payloads("evil.example")
    mixed = ["\n\n".join(texts) for texts in zip(*(texts[:4] for texts in kinds.values()), strict=False)]
    found: dict[str, Any] = blank.evaluate(SHOW, mixed)
    assert set(found["tags"]) <= hostile.ALLOWED_TAGS
    assert found["different"] == []


def test_no_shape_of_a_text_hangs_it(blank: Page) -> None:
    for shape, text in SHAPES.items():
        assert blank.evaluate(GROW, text) > 0, shape


def test_no_letter_carries_thousands_of_marks(blank: Page) -> None:
    assert blank.evaluate(GROW, f"a{SHAPES['marks']}b") == 1 + 1 + 32 + 1
