"""Renders answers as safe HTML for API clients and the admin: no remote images, no HTML of the model."""

from collections.abc import Mapping, Sequence
from functools import cache
from sys import getsizeof
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from chat.queries.links import MENTION, Link
from graphs.objects.refs import Ref
from graphs.site.kept_by_size import KeptBySize

_TAGS = {
    *("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "code", "em", "strong", "s"),
    *("ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td", "a", "bdi"),
}
_ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}, "code": {"class"}, "bdi": {"class"}}


#: Characters of which there is no better rendering than the text itself: of a longer one it would take seconds.
MOST_CHARS = 50_000
#: Addresses that become links without being marked as such. To look for them takes the square of their number.
MOST_ADDRESSES = 200
#: What rendered texts take that are kept: a short one becomes long by the titles of what it mentions.
KEPT_BYTES = 16_000_000
_kept = KeptBySize[str](KEPT_BYTES)


def render(text: str, links: Mapping[Ref, Link] = MappingProxyType({})) -> str:
    """Sanitised HTML of a markdown text. Objects that it mentions and `links` has are shown by their titles.

    What was rendered lately is not rendered again. A text that would take too long is shown as it is.
    """
    if len(text) > MOST_CHARS:
        return f"<pre>{nh3.clean_text(text)}</pre>"
    mentioned = {Ref(*found) for found in MENTION.findall(text)} if links else ()
    shown = tuple((ref, links[ref]) for ref in sorted(mentioned, key=str) if ref in links)
    rendered = _kept.get((text, shown))
    if rendered is None:
        rendered = _rendered(text, shown)
        _kept.put((text, shown), rendered, getsizeof(text) + getsizeof(rendered) + _bytes_of(shown))
    return rendered


def _bytes_of(shown: tuple[tuple[Ref, Link], ...]) -> int:
    """What links take: three objects of three values each, and their texts."""
    return sum(500 + sum(map(getsizeof, (*ref, link.title, link.url))) for ref, link in shown)


def _rendered(text: str, links: tuple[tuple[Ref, Link], ...]) -> str:
    return nh3.clean(
        _parser(links_addresses=text.count("://") <= MOST_ADDRESSES).render(text, {"links": dict(links)}),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )


@cache
def _parser(*, links_addresses: bool) -> MarkdownIt:
    options = {"html": False, "linkify": links_addresses}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough", "linkify"])
    parser.validateLink = _may_be_linked  # type: ignore[assignment, method-assign]
    parser.inline.ruler.before("link", "mention", _mention)
    parser.add_render_rule("image", _image)
    parser.add_render_rule("link_close", _link_close)
    return parser


def _may_be_linked(address: str) -> bool:
    """Whether a link leads to another site, without a user name that imitates a host. The widget has the same rule."""
    if address.lower().startswith("mailto:"):
        return True
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and "@" not in parts.netloc and bool(host) and "%" not in host


def _mention(state: StateInline, silent: bool) -> bool:
    """Puts a title in the place of a mention that is known, linked to its page; not within the text of another link."""
    found = MENTION.match(state.src, state.pos, state.posMax)
    link = state.env["links"].get(Ref(*found.groups())) if found else None
    if found is None or link is None or state.linkLevel:
        return False
    if not silent:
        if link.url:
            state.push("link_open", "a", 1).attrSet("href", link.url)
        # Without a page it becomes no link, whatever address it reads like.
        state.push("text" if link.url else "text_special", "", 0).content = link.title
        if link.url:
            state.push("link_close", "a", -1)
    state.pos = found.end()
    return True


def _image(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """The name of a picture, which is not loaded: that would tell a stranger who reads."""
    return nh3.clean_text(tokens[index].content or str(tokens[index].attrGet("src") or ""))


def _link_close(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """The end of a link, and after it the host, which the writing direction of its text cannot change."""
    opened = next(i for i in range(index, -1, -1) if tokens[i].type == "link_open")
    host = _host(str(tokens[opened].attrGet("href") or ""))
    text = "".join(token.content for token in tokens[opened:index] if token.type == "text")
    shown = f' <bdi class="host">({nh3.clean_text(host)})</bdi>' if host and host not in (text, _host(text)) else ""
    return f"</a>{shown}"


def _host(address: str) -> str:
    """The host with its port, as a browser shows it."""
    try:
        return urlsplit(address).netloc.lower()
    except ValueError:
        return ""
