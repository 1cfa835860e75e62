"""The demo's answers out of the web: what a search engine finds, and what a page says."""

from chat.providers.demo.lookups import Answered, Lookups, PlannedCall, Wanted, rows
from chat.providers.demo.seen import Row
from chat.providers.demo.sentences import Phrases, paragraphs, plain, subject

#: Characters that are said of each page that was found, and of one that was read.
FOUND_CHARS = 200
READ_CHARS = 1_200
Words = dict[str, str]


def searched(looking: Lookups, words: Words) -> str:
    """The pages that a search engine finds, each with its address."""
    say, query = looking.say, subject(words["words"])
    _require(looking, "web_search")
    shown = looking.one("web_search", query=query)
    if "error" in shown:
        raise Answered("refused", error=plain(shown["error"]))
    lines = [_line(row) for row in rows(shown.get("pages"))]
    if not lines:
        return say("web_nothing", query=plain(query))
    return paragraphs(say("web_found", query=plain(query)), say.lines(lines))


def read(looking: Lookups, words: Words) -> str:
    """The beginning of a page; or what became of the question whether it may be read."""
    say, url = looking.say, words["url"].rstrip(".,;:!?")
    _require(looking, "web_extract")
    call = PlannedCall("web_extract", {"url": url})
    given = [
        result.value
        for result in looking.seen.results
        if (result.tool, result.arguments) == (call.tool, call.arguments)
    ]
    if not given or (given[-1].get("status") == "applied" and "proposalId" in given[-1]):
        raise Wanted([call])
    return _told(given[-1], url, say)


def _told(page: Row, url: str, say: Phrases) -> str:
    if "error" in page:
        raise Answered("refused", error=plain(page["error"]))
    if "proposalId" in page:
        return say("web_not_let", url=plain(url))
    text = "\n".join(_unfenced(str(piece)) for piece in page.get("pieces") or ())
    title, beginning = _unfenced(str(page.get("title", ""))), " ".join(text.split())[:READ_CHARS]
    return paragraphs(say("web_read", page=_link(title, str(page.get("url", url)))), plain(beginning))


def _require(looking: Lookups, tool: str) -> None:
    if tool not in looking.seen.offered:
        raise Answered("web_absent")


def _line(row: Row) -> str:
    title, _newline, text = _unfenced(str(row.get("found", ""))).partition("\n")
    return f"{_link(title, str(row.get('url', '')))}: {plain(' '.join(text.split())[:FOUND_CHARS])}"


def _link(title: str, url: str) -> str:
    return f"[{plain(title) or plain(url)}](<{url}>)"


def _unfenced(text: str) -> str:
    """What stands between the marks."""
    return "\n".join(text.splitlines()[2:-1])
