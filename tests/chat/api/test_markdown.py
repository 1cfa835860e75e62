from html.parser import HTMLParser

import pytest

from chat.api.markdown import render

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
