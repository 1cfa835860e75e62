"""chat/static/chat/widget/markdown.js: the same text gives the same page, however it arrives."""

import json
import random

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.browser

SHOW = """async (parts) => {
  const { Markdown } = await import("/static/chat/widget/markdown.js");
  const place = document.createElement("div");
  const markdown = new Markdown(place);
  let text = "";
  for (const part of parts) {
    text += part;
    markdown.show(text, { open: true });
  }
  markdown.show(text);
  return place.innerHTML;
}"""

COMPARE = """async (cases) => {
  const { Markdown } = await import("/static/chat/widget/markdown.js");
  const show = (parts, open) => {
    const place = document.createElement("div");
    const markdown = new Markdown(place);
    let text = "";
    for (const part of parts) markdown.show(text += part, { open });
    markdown.show(text);
    return place.innerHTML;
  };
  return cases.filter((parts) => {
    const whole = show([parts.join("")], false);
    return show(parts, true) !== whole || show(parts, false) !== whole;
  });
}"""

PIECES = [
    *["\n", "\n\n", "  ", "    ", "\t", "- ", "* ", "1. ", "2) ", "> ", "# ", "```", "~~~", "```js\n", "---", "==="],
    *["***", "**", "*", "_", "~~", "`", "[", "](", "https://a.b", ")", "!", "<", "<script>", "{{node:", "k}}", "|"],
    *["| a | b |\n", "|---|---|\n", "word", " text ", "\\", "&amp;", "- [x] ", "\r\n", "é", "😀", "  \n"],
]

LINK = '<a href="{href}" target="_blank" rel="noopener noreferrer nofollow" referrerpolicy="no-referrer">{text}</a>'


def link(href: str, text: str, host: str = "") -> str:
    shown = f"<span>{text}</span>" + (f'<bdi class="host">{host}</bdi>' if host else "")
    return LINK.format(href=href, text=shown)


CASES = {
    "emphasis": (
        "**a** _b_ ***c*** ~~d~~",
        "<p><strong>a</strong> <em>b</em> <em><strong>c</strong></em> <del>d</del></p>",
    ),
    "words with underscores": ("a snake_case_name", "<p>a snake_case_name</p>"),
    "a lone asterisk": ("2 * 3 and **bold", "<p>2 * 3 and **bold</p>"),
    "code": ("`` a ` b `` and `c*d*`", "<p><code>a ` b</code> and <code>c*d*</code></p>"),
    "raw html": ("<b onclick=x>no</b>", "<p>&lt;b onclick=x&gt;no&lt;/b&gt;</p>"),
    "entities": ("&lt;i&gt; &#65; &nope;", "<p>&lt;i&gt; A &amp;nope;</p>"),
    "escapes": (r"\*no\* \[x\](y)", "<p>*no* [x](y)</p>"),
    "headings": ("# One\n### Three ###\nUnder\n---", "<h3>One</h3><h5>Three</h5><h4>Under</h4>"),
    "breaks": ("a  \nb\\\nc\nd", "<p>a<br>b<br>c\nd</p>"),
    "a rule": ("a\n\n***\n\nb", "<p>a</p><hr><p>b</p>"),
    "a nested list": (
        "1. a\n   - b\n   - c\n2. d",
        "<ol><li><span>a</span><ul><li><span>b</span></li><li><span>c</span></li></ul></li><li><span>d</span></li></ol>",
    ),
    "a nested list with two spaces": (
        "1. a\n  - b\n2. c",
        "<ol><li><span>a</span><ul><li><span>b</span></li></ul></li><li><span>c</span></li></ol>",
    ),
    "a loose list": ("- a\n\n- b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>"),
    "a list that begins later": ("3. a", '<ol start="3"><li><span>a</span></li></ol>'),
    "a list after a line": ("Steps:\n- a", "<p>Steps:</p><ul><li><span>a</span></li></ul>"),
    "a number in a text": ("In the year\n1984. it", "<p>In the year\n1984. it</p>"),
    "a quote": ("> a\nb\n\nc", "<blockquote><p>a\nb</p></blockquote><p>c</p>"),
    "an image": (
        "![a cat](https://i.example/c.png)",
        f"<p>{link('https://i.example/c.png', 'a cat', 'i.example')}</p>",
    ),
    "an image without words": (
        "![](https://i.example/)",
        f"<p>{link('https://i.example/', 'i.example', 'i.example')}</p>",
    ),
    "an image in a link": ("[![b](https://i.e)](https://o.e/)", f"<p>{link('https://o.e/', 'b', 'o.e')}</p>"),
    "a link that lies": ("[google.com](https://evil.e/)", f"<p>{link('https://evil.e/', 'google.com', 'evil.e')}</p>"),
    "a link that lies with a path": (
        "[google.com/evil.e](https://evil.e/)",
        f"<p>{link('https://evil.e/', 'google.com/evil.e', 'evil.e')}</p>",
    ),
    "a link with a title": ('[a](<https://b.e/c> "t")', f"<p>{link('https://b.e/c', 'a', 'b.e')}</p>"),
    "a bare address": ("see https://b.e/c_(d).", f"<p>see {link('https://b.e/c_(d)', 'https://b.e/c_(d)')}.</p>"),
    "an address in angles": ("<https://b.e/>", f"<p>{link('https://b.e/', 'https://b.e/')}</p>"),
    "a mail address": ("<me@b.e>", f"<p>{link('mailto:me@b.e', 'me@b.e')}</p>"),
    "a foreign alphabet": (
        "https://аpple.com/",
        f"<p>{link('https://xn--pple-43d.com/', 'https://аpple.com/', 'xn--pple-43d.com')}</p>",
    ),
    "a user name in an address": ("[a](https://b.e@evil.e/)", "<p>[a](https://b.e@evil.e/)</p>"),
    "a script address": ("[a](javascript:alert(1))", "<p>[a](javascript:alert(1))</p>"),
    "a data address": ("[a](data:text/html,x)", "<p>[a](data:text/html,x)</p>"),
    "a relative address": ("[a](/admin/)", "<p>[a](/admin/)</p>"),
    "an empty node": ("{{node: }}", "<p>{{node: }}</p>"),
    "nothing": ("", ""),
}


@pytest.mark.parametrize(("source", "expected"), CASES.values(), ids=CASES.keys())
def test_it_reads_markdown(blank: Page, source: str, expected: str) -> None:
    assert blank.evaluate(SHOW, [source]) == expected
    assert blank.evaluate(SHOW, list(source)) == expected


def test_it_shows_tables(blank: Page) -> None:
    shown = blank.evaluate(SHOW, ["| a | b |\n|---|--:|\n| `x\\|y` | 2 |\n| 3 |\n\nend"])
    assert '<th>a</th><th class="align-right">b</th>' in shown
    assert '<td><code>x|y</code></td><td class="align-right">2</td>' in shown
    assert '<td>3</td><td class="align-right"></td>' in shown
    assert shown.endswith("</table></div><p>end</p>")


def test_it_shows_code_with_its_language_and_keeps_tabs(blank: Page) -> None:
    shown = blank.evaluate(SHOW, ["```make x\nall:\n\techo <b>\n\n```\nafter"])
    assert "<span>make</span>" in shown
    assert "<code>all:\n\techo &lt;b&gt;\n</code>" in shown
    assert shown.endswith("<p>after</p>")


def test_it_shows_tasks_as_boxes(blank: Page) -> None:
    blank.evaluate("""async () => {
      const { Markdown } = await import("/static/chat/widget/markdown.js");
      const place = document.getElementById("place");
      place.replaceChildren();
      new Markdown(place).show("- [x] done\\n- [ ] open");
    }""")
    assert blank.evaluate("[...document.querySelectorAll('input')].map((box) => [box.checked, box.disabled])") == [
        [True, True],
        [False, True],
    ]


def test_it_links_nodes(blank: Page) -> None:
    shown = blank.evaluate(SHOW, ["See {{node:fetch-api}} and `{{node:x}}`."])
    assert 'data-node-key="fetch-api"' in shown
    assert "<code>{{node:x}}</code>" in shown


def test_it_gives_the_same_page_whatever_the_pieces(blank: Page) -> None:
    dice = random.Random(20261120)
    cases = []
    for _ in range(1500):
        text = "".join(dice.choices(PIECES, k=dice.randint(1, 24)))
        cuts = sorted(dice.sample(range(len(text) + 1), min(len(text), dice.randint(1, 30))))
        cases.append([text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)])
    assert blank.evaluate(COMPARE, cases) == []


def test_it_gives_the_same_page_for_a_long_answer_letter_by_letter(blank: Page) -> None:
    answer = "\n\n".join(source for source, _ in CASES.values())
    assert blank.evaluate(COMPARE, [list(answer)]) == []


def test_it_leaves_what_stands(blank: Page) -> None:
    untouched = blank.evaluate("""async () => {
      const { Markdown } = await import("/static/chat/widget/markdown.js");
      const place = document.getElementById("place");
      place.replaceChildren();
      const markdown = new Markdown(place);
      markdown.show("# Title\\n\\n- one\\n- two\\n\\n```js\\na", { open: true });
      const before = [place.children[0], place.children[1].children[0], place.children[2]];
      const changes = [];
      const everything = { childList: true, subtree: true, characterData: true };
      new MutationObserver((records) => changes.push(...records)).observe(place.firstChild, everything);
      markdown.show("# Title\\n\\n- one\\n- two\\n\\n```js\\nab\\n```\\n\\nThe *end*", { open: true });
      await new Promise((done) => setTimeout(done));
      const after = [place.children[0], place.children[1].children[0], place.children[2]];
      return changes.length === 0 && before.every((element, index) => element === after[index]);
    }""")
    assert untouched


def test_it_shows_no_half_signs_while_more_is_coming(blank: Page) -> None:
    halves = ["a **bo", "a `co", "see [the man", "see [the](https://exam", "at {{node:fet", "so ~~go", "it **"]
    assert growing(blank, halves) == ["a bo", "a co", "see the man", "see the", "at ", "so go", "it "]


def test_the_beginning_of_a_mention_is_held_back_while_more_is_coming(blank: Page) -> None:
    mention = "{{use_case:8f14e45f-ceea}}"
    halves = [f"at {mention[:length]}" for length in range(1, len(mention))]
    assert growing(blank, halves) == ["at "] * len(halves)
    assert growing(blank, halves, is_open=False) == halves


@pytest.mark.parametrize("none", ["{{ a", "{{1:a", "{{a b", "{{a:\nb", "{{a:}b", "{{a}}", f"{{{{a:{'b' * 101}", "{a"])
def test_what_can_become_no_mention_is_shown_at_once(blank: Page, none: str) -> None:
    assert growing(blank, [f"at {none}"]) == [f"at {none}".rstrip()]


def growing(blank: Page, texts: list[str], is_open: bool = True) -> list[str]:
    """What is shown of each of these beginnings, or ends, of an answer."""
    shown: list[str] = blank.evaluate(
        """async ([texts, open]) => {
          const { Markdown } = await import("/static/chat/widget/markdown.js");
          return texts.map((text) => {
            const place = document.createElement("div");
            new Markdown(place).show(text, { open });
            return place.textContent;
          });
        }""",
        [texts, is_open],
    )
    return shown


@pytest.mark.parametrize("half", ["| a | b |", "| a | b |\n|", "| a | b |\n|--", "| a | b |\n|---|-"])
def test_it_shows_a_table_from_its_first_line(blank: Page, half: str) -> None:
    shown = blank.evaluate(
        """async (text) => {
          const { Markdown } = await import("/static/chat/widget/markdown.js");
          const place = document.createElement("div");
          new Markdown(place).show(text, { open: true });
          return [...place.querySelectorAll("th")].map((cell) => cell.textContent);
        }""",
        half,
    )
    assert shown == ["a", "b"]


HOSTILE = {
    "stars": "*a " * 11_000,
    "brackets": "[" * 32_000,
    "targets": "[a](" * 8_000,
    "ticks": " ".join("`" * width for width in range(1, 250)),
    "quotes": ">" * 32_000,
    "markers": "- " * 16_000,
    "spaces in a target": "[a](x" + " " * 32_000,
    "closing brackets": "https://a.b/" + ")" * 32_000,
    "deep lists": "\n".join(" " * (2 * depth) + "- x" for depth in range(400)),
    "cells": "|" * 30_000 + "\n" + "|-" * 15_000,
    "number signs": "# " + "#" * 32_000 + " x",
    "lazy lines": "> " * 20 + "a\n" + "b\n" * 5_000,
    "nul and lone surrogates": "a\u0000b **\ud83d** <\udc00>",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_it_survives_hostile_text(blank: Page, name: str) -> None:
    text = json.dumps(HOSTILE[name])
    shown = blank.evaluate(f"""async () => {{
      const {{ Markdown }} = await import("/static/chat/widget/markdown.js");
      const place = document.createElement("div");
      new Markdown(place).show({text}, {{ open: true }});
      new Markdown(place).show({text});
      return place.childElementCount;
    }}""")
    assert shown > 0
