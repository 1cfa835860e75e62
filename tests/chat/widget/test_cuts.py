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
    mixed = ["\n\n".join(texts) for texts in zip(*(texts[:7] for texts in kinds.values()), strict=False)]
    found: dict[str, Any] = blank.evaluate(SHOW, mixed)
    assert set(found["tags"]) <= hostile.ALLOWED_TAGS
    assert found["different"] == []
