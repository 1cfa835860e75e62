from html.parser import HTMLParser
from importlib import import_module

import pytest

from chat.api import markdown
from chat.api.markdown import MOST_ADDRESSES, MOST_CHARS, render
from chat.queries.links import Link
from graphs.objects.refs import Ref

ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)><animate/></svg>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](java\tscript:alert(1))",
    "[a](&#106;avascript:alert(1))",
    "[a](vbscript:x)",
    "[a](data:text/html;base64,PHNjcmlwdD4=)",
    "[a](file:///etc/passwd)",
    '[a](http://x" onmouseover="alert(1))',
    "[a](http://x 'title\" onclick=\"alert(1)')",
    "![a](javascript:alert(1))",
    "![x](https://tracker.example/pixel.png?secret)",
    "![][r]\n\n[r]: https://tracker.example/pixel.png",
    "<javascript:alert(1)>",
    "```html\n<script>alert(1)</script>\n```",
    '```x" onclick="alert(1)\ncode\n```',
    "`<img src=x onerror=alert(1)>`",
    "<a href='http://evil.example' target=_blank>x</a>",
    "<style>*{display:none}</style><link rel=stylesheet href=//evil.example>",
    "<form action=//evil.example><input name=a></form>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "|<img src=x onerror=alert(1)>|b|\n|-|-|\n|[a](javascript:x)|b|",
    "<!-- --><script>alert(1)</script>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "{{node:<img src=x onerror=alert(1)>}}",
]
ALLOWED = {"href", "title", "rel", "target", "class", "start"}


class Elements(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize("text", ATTACKS)
def test_it_makes_nothing_that_acts_or_loads(text: str) -> None:
    for tag, attributes in Elements(render(text)).found:
        assert tag not in {"script", "img", "svg", "iframe", "style", "link", "form", "input", "object", "math"}
        assert set(attributes) <= ALLOWED, attributes
        href = attributes.get("href")
        assert href is None or href.split(":")[0] in {"http", "https", "mailto"}, href


def test_it_renders_what_answers_are_made_of() -> None:
    html = render(
        "# Title\n\n- **one**\n- `two`\n\n1. x\n\n|a|b|\n|-|-|\n|1|2|\n\n```js\nlet x\n```\n\n~~old~~ {{node:root}}"
    )
    for piece in (
        "<h1>",
        "<strong>one</strong>",
        "<code>two</code>",
        "<ol>",
        "<td>1</td>",
        "<s>old</s>",
        "{{node:root}}",
    ):
        assert piece in html
    assert '<code class="language-js">' in html


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("[here](https://example.org/x)", "example.org"),
        ("[https://good.example](https://evil.example)", "evil.example"),
        ("[good.example](https://evil.example)", "evil.example"),
        ("evil.example is near [good.example](https://evil.example)", "evil.example"),
        ("https://example.org/x", None),
        ("[example.org](https://example.org)", None),
        ("[a](mailto:a@example.org)", None),
    ],
)
def test_it_shows_the_host_of_a_link_whose_text_hides_it(text: str, host: str | None) -> None:
    html = render(text)
    assert (f'<bdi class="host">({host})</bdi>' in html) is (host is not None)
    assert host is not None or "host" not in html


def test_it_names_pictures_without_loading_them() -> None:
    html = render("![the <b>logo</b>](https://tracker.example/x.png)")
    assert "<img" not in html
    assert "logo" in html


def test_it_renders_long_answers_of_links_brackets_and_quotes() -> None:
    shapes = ("[a](http://b.c) " * 3_000, "[" * 5_000, "> " * 500 + "x", "*a " * 5_000, "![" * 3_000)
    for text in (*shapes, "> " * 10_000 + "x", "- " * 10_000 + "x", ">" * 10_000, "x" * 1_000_000):
        assert render(text)


@pytest.mark.parametrize(
    "text", ["<http://" * 3_900, "<http://a.bc> " * 2_300, "see http://a.bc " * 2_000], ids=["open", "marked", "bare"]
)
def test_many_addresses_are_not_looked_for_one_by_one(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search within what was read so far took the square of their number: 3 s for 31,000 characters."""
    searched = 0

    def search(self: object, *args: object) -> None:
        nonlocal searched
        searched += 1

    rule = import_module("markdown_it.rules_inline.linkify")
    monkeypatch.setattr(rule, "SCHEME_RE", type("Counted", (), {"search": search})())
    render(text)
    assert searched <= MOST_ADDRESSES


def test_some_addresses_become_links() -> None:
    assert render("see http://a.bc " * MOST_ADDRESSES).count('<a href="http://a.bc"') == MOST_ADDRESSES


def test_a_text_that_would_take_too_long_is_shown_as_it_is() -> None:
    shown = render("![a](" * MOST_CHARS + "<script>alert(1)</script>")
    assert shown.startswith("<pre>![a](![a](")
    assert shown.endswith("&lt;script&gt;alert(1)&lt;&#47;script&gt;</pre>")


def test_what_was_rendered_is_kept_with_the_titles_that_it_had(monkeypatch: pytest.MonkeyPatch) -> None:
    orders, old, new = Ref("graph", "orders"), Link("Orders", "/graphs/orders/"), Link("All orders", "/graphs/orders/")
    text = "{{graph:orders}} and {{graph:secret}}, kept once"
    assert ">Orders</a>" in render(text, {orders: old})
    assert ">All orders</a>" in render(text, {orders: new})
    assert "{{graph:orders}}" in render(text)
    monkeypatch.setattr(markdown, "_parser", lambda **_options: pytest.fail("it is rendered already"))
    assert ">Orders</a>" in render(text, {orders: old, Ref("graph", "other"): new})
