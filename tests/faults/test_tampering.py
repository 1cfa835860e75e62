"""The widget and its pages against pages of strangers, a browser somebody tampered with, and files that never end."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from graphs.models import Graph
from tests import hostile
from tests.flows.visitor import Visitor
from tests.hostile import ForeignServer
from tests.site import Site, site

pytestmark = [
    pytest.mark.browser,
    pytest.mark.processes,
    pytest.mark.faults,
    pytest.mark.django_db(transaction=True),
]

TOO_BIG = "The file is too big to be imported here."
#: What a widget could be asked to do, in the words of its own events and frames.
MESSAGES = """(target) => {
  for (const data of [
    { type: "countersign:select-node", key: "root" }, { type: "ai:chat", message: "stolen" },
    "countersign:object-changed", { type: "ai:token", token: "<img src=x onerror=window.ran=1>", sequence: 1 },
  ]) target.postMessage(data, "*");
}"""
#: Every remembered value replaced by what no page of ours ever wrote.
TAMPER = """(values) => {
  const names = new Set([...Object.keys(sessionStorage),
    "countersign-chat:bubble", "countersign-chat:session:demo:graph:nba", "countersign-chat:draft:demo:graph:nba:new"]);
  for (const name of names) sessionStorage.setItem(name, values);
}"""
VALUES = [
    "../../../accounts/logout/",
    "<img src=x onerror=window.ran=1>",
    '{"x": 1e300, "y": -1e300, "k": 1e-300}',
    '{"x": 0, "y": 0, "k": 1e300}',
    "\ud800\u202e" * 2000,
    '"__proto__"',
]


@pytest.fixture
def small_files(transactional_db: None, alice: User, nba: Graph) -> Iterator[Site]:
    with site(MAX_IMPORT_BYTES="100000") as started:
        yield started


@pytest.fixture
def visitor(small_files: Site, page: Page) -> Visitor:
    return Visitor(page, small_files.web.url).sign_in("alice")


def test_pages_keep_their_heads(visitor: Visitor, tmp_path: Path) -> None:
    with hostile.foreign_server() as foreign:
        a_foreign_page_cannot_frame_us(visitor, foreign)
        a_foreign_page_cannot_talk_to_us(visitor, foreign)
    tampered_storage_is_harmless(visitor)
    a_file_that_is_much_too_big_is_told(visitor, tmp_path)


def a_foreign_page_cannot_frame_us(visitor: Visitor, foreign: ForeignServer) -> None:
    frames = "".join(f"<iframe src='{visitor.url}{path}'></iframe>" for path in ("/", "/graphs/nba/", "/admin/login/"))
    foreign.pages["/frames"] = frames
    page = visitor.page.context.new_page()
    page.goto(f"http://{foreign.host}/frames")
    assert [frame.url for frame in page.frames[1:]] == ["chrome-error://chromewebdata/"] * 3
    page.close()


def a_foreign_page_cannot_talk_to_us(visitor: Visitor, foreign: ForeignServer) -> None:
    foreign.pages["/opener"] = "<p>Hello</p>"
    stranger = visitor.page.context.new_page()
    stranger.goto(f"http://{foreign.host}/opener")
    with stranger.expect_popup() as opened:
        stranger.evaluate("(url) => { window.ours = window.open(url); }", f"{visitor.url}/graphs/nba/")
    ours = Visitor(opened.value, visitor.url)
    ours.connected()
    stranger.evaluate(MESSAGES.replace("target", "_").replace("_.", "window.ours."))
    ours.page.evaluate(f"({MESSAGES})(window)")
    expect(ours.chat.locator(".empty")).to_be_visible()
    expect(ours.page.locator("graph-view .details")).to_be_hidden()
    assert stranger.evaluate("window.ours.closed")
    assert ours.page.evaluate("[window.opener, window.ran ?? null]") == [None, None]
    assert ours.errors == []
    ours.page.close()
    stranger.close()


def tampered_storage_is_harmless(visitor: Visitor) -> None:
    for value in VALUES:
        visitor.open_graph()
        visitor.page.evaluate(TAMPER, value)
        visitor.page.reload()
        visitor.connected()
        expect(visitor.page.locator("graph-view [data-key=root]").first).to_be_visible()
        expect(visitor.chat.locator("textarea")).to_be_enabled()
        assert visitor.page.evaluate("window.ran ?? null") is None
    visitor.page.evaluate("sessionStorage.clear()")
    visitor.open_graph()
    expect(visitor.ask("SCRIPT:hello")).to_contain_text("Hello!")


def a_file_that_is_much_too_big_is_told(visitor: Visitor, tmp_path: Path) -> None:
    """Before it is sent; and where the page does not know better, by a server that hangs up on it."""
    file = tmp_path / "endless.json"
    with file.open("wb") as written:
        written.truncate(24_000_000)
    said = visitor.page.locator("#import-state")
    for most in ("", "1e12"):
        visitor.page.goto(f"{visitor.url}/import/")
        if most:
            visitor.page.evaluate("(most) => { document.forms['import-form'].dataset.mostBytes = most }", most)
        visitor.page.set_input_files("input[type=file]", file)
        visitor.page.get_by_role("button", name="Import", exact=True).click()
        expect(said).to_have_text(TOO_BIG)
