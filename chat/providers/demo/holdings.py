"""The demo's answers about what a record holds: how many objects of a kind, which ones, in which status."""

from collections.abc import Sequence
from dataclasses import dataclass

from chat.providers.demo.lookups import Lookups, PlannedCall, rows
from chat.providers.demo.seen import Row
from chat.providers.demo.sentences import INTENTS, bare, paragraphs, plain, understand

#: Pages of a list, and folders of a company, that are read.
MAX_PAGES = 3
MAX_FOLDERS = 8
USE_CASE, FOLDER, COMPANY, SUMMARY = "usecase", "folder", "company", "executive_summary"
#: What a record holds, by its kind.
HELD = {COMPANY: FOLDER, FOLDER: USE_CASE, SUMMARY: USE_CASE}

Words = dict[str, str]


@dataclass(frozen=True, slots=True)
class Holding:
    """What is held of a kind: the rows that are known, and how many there are, `or_more` where not all were seen."""

    rows: Sequence[Row]
    count: int
    or_more: bool = False
    goes_on: bool = False


def held(looking: Lookups, words: Words) -> str:
    """The folders of a company, or the use cases of whatever is at hand; those in a status, if one is said."""
    status = INTENTS["held"]["statuses"].get(bare(words.get("status", "")).removesuffix("s"), "")
    kind, say = _kind(looking, words), looking.say
    found = holding(looking, kind, status, only_count=bool(words.get("many")))
    if not found.count:
        return say("holds_none_seen" if found.or_more else "holds_none")
    lines = [f"{looking.named(row['object'], row['title'])}: {_told(row, kind)}" for row in found.rows]
    count = say("at_least", count=found.count) if found.or_more else found.count
    is_list = found.rows and not found.goes_on and found.rows[0]["object"].startswith(f"{kind}:")
    shown = say.lines(lines, found.count if is_list else 0)
    return paragraphs(say("holds_these", count=count), shown, say("more_pages") if found.goes_on else "")


def holding(looking: Lookups, kind: str, status: str = "", *, only_count: bool = False) -> Holding:
    """What the record at hand holds of a kind, or stands beside; of the workspace where neither is."""
    at_hand, given = looking.seen.at_hand, looking.given
    own = at_hand.partition(":")[0]
    if own == COMPANY and kind == USE_CASE:
        return _through_folders(looking, status, only_count=only_count)
    is_held = HELD.get(own) == kind
    parent = at_hand if is_held and own != SUMMARY else str(given.get("parent") or "")
    arguments = {"kind": kind, **({"parent": parent} if parent and (is_held or own == kind) else {})}
    if not is_held:
        return _listed(looking, arguments, status)
    numbers = (given.get("holds") or {}).get(kind) or {"count": 0}
    told = [row for row in rows(given.get("held")) if row["object"].startswith(f"{kind}:")]
    told = [row for row in told if status in ("", row.get("status"))]
    count = numbers.get("status", {}).get(status, 0) if status else numbers["count"]
    if len(told) == count or only_count or status:
        return Holding(told, count, "andMore" in numbers)
    return _listed(looking, arguments, "")


def _kind(looking: Lookups, words: Words) -> str:
    """The kind that is said, else the one that was asked about before, else what the record at hand holds."""
    kinds = INTENTS["held"]["kinds"]
    before = (intent.words for text in reversed(looking.seen.questions) for intent in understand(text))
    said = (bare(each.get("kind", "")).removesuffix("s") for each in (words, *before))
    known = next((kinds[name] for name in said if name in kinds), "")
    return known or HELD.get(looking.seen.at_hand.partition(":")[0], USE_CASE)


def _through_folders(looking: Lookups, status: str, *, only_count: bool) -> Holding:
    """The use cases of a company, by its folders: these tell how many each has."""
    given = looking.given
    folders = [row for row in rows(given.get("held")) if row["object"].startswith(f"{FOLDER}:")]
    numbers = (given.get("holds") or {}).get(FOLDER) or {"count": 0}
    more, full = len(folders) < numbers["count"], [row for row in folders if row.get("holds", {}).get(USE_CASE)]
    total = sum(row["holds"][USE_CASE] for row in full)
    if only_count and not status:
        return Holding(full, total, more)
    asked = [PlannedCall("list_objects", {"kind": USE_CASE, "parent": row["object"]}) for row in full[:MAX_FOLDERS]]
    shown = looking.look(*asked)
    all_rows = [row for page in shown for row in rows(page.get("objects"))]
    found = [row for row in all_rows if status in ("", row.get("status"))]
    return Holding(found, len(found) if status else total, more or bool(status and len(all_rows) < total))


def _listed(looking: Lookups, arguments: Row, status: str) -> Holding:
    """What a list has: its first page with the total; for a status as many pages as are read."""
    found, offset = list[Row](), Row()
    for _page in range(MAX_PAGES):
        shown = looking.one("list_objects", **arguments, **offset)
        found += rows(shown.get("objects"))
        offset = {"offset": shown.get("nextOffset")}
        if not status:
            return Holding(found, shown.get("total", len(found)), goes_on="nextOffset" in shown)
        if "nextOffset" not in shown:
            break
    those = [row for row in found if row.get("status") == status]
    return Holding(those, len(those), or_more=bool(offset["offset"]))


def _told(row: Row, kind: str) -> str:
    """The status of a row; of a folder that stands for its use cases how many these are."""
    counted = kind == USE_CASE and row["object"].startswith(f"{FOLDER}:")
    return str(row["holds"][USE_CASE]) if counted else plain(row.get("status"))
