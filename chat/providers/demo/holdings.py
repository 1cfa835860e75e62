"""The demo's answers about what a record holds: how many objects of a kind, which ones, in which status."""

from collections.abc import Sequence
from dataclasses import dataclass

from chat.providers.demo.lookups import Item, Lookups, PlannedCall, rows
from chat.providers.demo.naming import called, counted, meant
from chat.providers.demo.seen import Row
from chat.providers.demo.sentences import paragraphs, plain, understand

#: Pages of a list, and folders of a company, that are read.
MAX_PAGES = 3
MAX_FOLDERS = 8
#: Objects of which no further page is read.
MAX_ROWS = 100
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
    """The objects of a kind that something holds, or that there are; those in a status, if one is said."""
    say, status = looking.say, meant("statuses", words.get("status", ""))
    holder = looking.exactly(words["x"]) if words.get("x") else None
    kind = _kind(looking, words, holder)
    found = holding(looking, kind, status, only_count=bool(words.get("many")), holder=holder)
    in_holder = say("among", item=holder) if holder else ""
    if not found.count:
        return f"{in_holder}{say('holds_none_seen' if found.or_more else 'holds_none')}"
    lines = [
        say("pair", name=looking.named(row["object"], row["title"]), value=_told(looking, row, kind))
        for row in found.rows
    ]
    count = say("at_least", count=found.count) if found.or_more else found.count
    is_list = found.rows and not found.goes_on and found.rows[0]["object"].startswith(f"{kind}:")
    shown = say.lines(lines, found.count if is_list else 0)
    told = f"{in_holder}{say('holds_these', count=count)}"
    return paragraphs(told, shown, say("more_pages") if found.goes_on else "")


def holding(
    looking: Lookups, kind: str, status: str = "", *, only_count: bool = False, holder: Item | None = None
) -> Holding:
    """What the holder, else the record at hand, holds of a kind or stands beside; of the workspace where none does."""
    at_hand, given = looking.seen.at_hand, looking.given
    if holder and holder.key != at_hand:
        return _held_elsewhere(looking, holder, kind, status, only_count=only_count)
    own = at_hand.partition(":")[0]
    if own == COMPANY and kind == USE_CASE:
        return _through_folders(looking, at_hand, status, only_count=only_count)
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


def folders_of(looking: Lookups, company: str) -> list[Row]:
    """The first folders of a company, with how many use cases each has where that was given."""
    if company == looking.seen.at_hand:
        return [row for row in rows(looking.given.get("held")) if row["object"].startswith(f"{FOLDER}:")]
    return rows(looking.one("list_objects", kind=FOLDER, parent=company).get("objects"))


def listed(looking: Lookups, kind: str, parent: str = "", enough: int = MAX_ROWS) -> tuple[list[Row], int]:
    """The first pages of the objects of a kind, of one holder if it is named, and how many there are."""
    found, offset = list[Row](), Row()
    for _page in range(MAX_PAGES):
        shown = looking.one("list_objects", kind=kind, **({"parent": parent} if parent else {}), **offset)
        found += rows(shown.get("objects"))
        if "nextOffset" not in shown or len(found) >= enough:
            break
        offset = {"offset": shown["nextOffset"]}
    return found, int(shown.get("total", len(found)))


def _held_elsewhere(looking: Lookups, holder: Item, kind: str, status: str, *, only_count: bool) -> Holding:
    own, _colon, key = holder.key.partition(":")
    if own == COMPANY and kind == USE_CASE:
        return _through_folders(looking, holder.key, status, only_count=only_count)
    parent = f"{FOLDER}:{key}" if own == SUMMARY else holder.key
    return _listed(looking, {"kind": kind, "parent": parent}, status)


def _kind(looking: Lookups, words: Words, holder: Item | None) -> str:
    """The kind that is said, else the one that was asked about before, else what the record holds."""
    before = (intent.words for text in reversed(looking.seen.questions) for intent in understand(text))
    said = (meant("kinds", each.get("kind", "")) for each in (words, *before))
    own = (holder.key if holder else looking.seen.at_hand).partition(":")[0]
    return next(filter(None, said), "") or HELD.get(own, USE_CASE)


def _through_folders(looking: Lookups, company: str, status: str, *, only_count: bool) -> Holding:
    """The use cases of a company, by its folders: where these are given they tell how many each has."""
    folders = folders_of(looking, company)
    numbers = (looking.given.get("holds") or {}).get(FOLDER) or {"count": 0}
    is_given = company == looking.seen.at_hand
    more, full = is_given and len(folders) < numbers["count"], folders
    if is_given:
        full = [row for row in folders if row.get("holds", {}).get(USE_CASE)]
        total = sum(row["holds"][USE_CASE] for row in full)
        if only_count and not status:
            return Holding(full, total, more)
    asked = [PlannedCall("list_objects", {"kind": USE_CASE, "parent": row["object"]}) for row in full[:MAX_FOLDERS]]
    shown = looking.look(*asked)
    all_rows = [row for page in shown for row in rows(page.get("objects"))]
    total = total if is_given else sum(page.get("total", 0) for page in shown)
    more = more or (not is_given and len(full) > MAX_FOLDERS)
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


def _told(looking: Lookups, row: Row, kind: str) -> str:
    """The status of a row; of a folder that stands for its use cases how many these are."""
    if kind == USE_CASE and row["object"].startswith(f"{FOLDER}:"):
        return counted("kinds", USE_CASE, row["holds"][USE_CASE], looking.say.language)
    return called("statuses", plain(row.get("status")), looking.say.language)
