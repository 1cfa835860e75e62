"""A program of its own: reads HTML from stdin and writes `{title, text}` to stdout as JSON, within limits.

A page of a few hundred kB can be made to keep any parser of HTML busy for minutes.
"""

import json
import resource
import sys

MEMORY_BYTES = 1_000_000_000
CPU_S = 4
#: What of a page is no text for people.
_LEFT_OUT = "script, style, noscript, template, svg, iframe, object, nav, [hidden], [aria-hidden=true]"
#: What begins a line of its own.
_BLOCKS = (
    "address, article, aside, blockquote, br, dd, div, dl, dt, figcaption, footer, form, h1, h2, h3, h4, h5, h6,"
    " header, hr, li, main, ol, p, pre, section, table, td, th, tr, ul"
)


def main() -> int:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    html = sys.stdin.buffer.read().decode()
    from selectolax.lexbor import LexborHTMLParser  # after the limits hold

    page = LexborHTMLParser(html)
    title = page.css_first("head title")
    named = title.text() if title else ""
    for node in page.css(_LEFT_OUT):
        node.decompose()
    for node in page.css(_BLOCKS):
        node.insert_before("\n")
        node.insert_after("\n")
    json.dump({"title": named, "text": page.body.text() if page.body else ""}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
