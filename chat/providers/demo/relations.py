"""What the demo finds between use cases by rules: which are alike, complement one another, or fit objectives."""

import re
from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any

from chat.providers.demo.folding import bare, folded
from chat.providers.demo.gaps import FIRST
from chat.providers.demo.holdings import COMPANY, FOLDER, SUMMARY, USE_CASE, folders_of, listed
from chat.providers.demo.lookups import Answered, Item, Lookups, PlannedCall, rows, together
from chat.providers.demo.naming import NAMES
from chat.providers.demo.records import texts
from chat.providers.demo.seen import Row
from chat.providers.demo.sentences import plain
from chat.providers.demo.suggesting import Suggested, Suggestion, more_texts, update
from rag.texts.stop_words import STOP_WORDS

#: Two texts are alike that share more than this of the words of the one with fewer; short words say little.
ALIKE = 1 / 3
#: Use cases that are read whole, and texts that are searched for one by one.
MAX_READ = 12
MAX_SEARCHED = 4
#: Use cases that are named for objectives.
MAX_FITTING = 8
#: Letters that two forms of one word begin with.
_STEM = 5
_WORD = re.compile(r"\w{4,}")
_SHARED = ("data.dataSources", "data.dataObjects")
#: Words of amounts, by which nothing is said of what somebody wants.
_AMOUNTS = frozenset(
    folded(word)
    for known in (*NAMES["numbers"].values(), *NAMES["amounts"].values())
    for words in known.values()
    for word in words
)
Words = dict[str, str]


def alike(looking: Lookups, words: Words) -> Suggested:
    """Use cases that share many words: with the one that is meant, else with one another."""
    say, item = looking.say, _use_case(looking, words)
    found, count = _around(looking, item) if item else _use_cases(looking)
    by_name = {row["object"]: (row, _words_of(row)) for row in found}
    pairs = [pair for pair in combinations(by_name, 2) if item is None or item.key in pair]
    alike_pairs = [
        (one, other, shared) for one, other in pairs if (shared := _shared(by_name[one][1], by_name[other][1]))
    ]
    suggestions = []
    extents = _extents(looking, [each for pair in alike_pairs for each in pair[:2]]) if words.get("propose") else {}
    for one, other, shared in alike_pairs:
        both = (by_name[one][0], by_name[other][0])
        kept, thinner = sorted(both, key=lambda row: extents.get(row["object"], (False, 0)), reverse=True)
        x, y = (looking.named(row["object"], row["title"]) for row in both)
        text = say("alike_pair", x=x, y=y, words=", ".join(shared))
        archived = "archived" in (kept.get("status"), thinner.get("status"))
        reason = say("reason_alike", x=plain(kept["title"]), words=", ".join(shared))
        call = None if archived else update(thinner["object"], {"status": "archived"}, reason)
        suggestions.append(Suggestion(text, call))
    seen = say("seen_of", seen=len(found), count=count) if len(found) < count else ""
    rule = " ".join(filter(None, (say("alike_by_words"), seen)))
    return Suggested(say("alike"), suggestions, rule, " ".join(filter(None, (say("alike_none"), seen))))


def complementary(looking: Lookups, words: Words) -> Suggested:
    """Use cases that work with the same data."""
    say, item = looking.say, _use_case(looking, words)
    found, count = _sharing(looking, item) if item else _read(looking, _use_cases(looking))
    by_key = {each.key: each for each in ([item] if item else []) + found}
    pairs = [pair for pair in combinations(by_key, 2) if item is None or item.key in pair]
    suggestions = []
    for one, other in ((by_key[one], by_key[other]) for one, other in pairs):
        if not (shared := _shared_data(one, other)):
            continue
        names = ", ".join(map(plain, shared))
        note = say("note_shares", names=", ".join(shared), title=other.title)
        call = more_texts(one, "data.references", [note], say("reason_shares", x=plain(other.title), names=names))
        suggestions.append(Suggestion(say("shares", x=one, y=other, names=names), call))
    seen = say("seen_of", seen=len(found), count=count) if len(found) < count else ""
    rule = " ".join(filter(None, (say("by_shared_data"), seen)))
    return Suggested(say("complementary"), suggestions, rule, " ".join(filter(None, (say("complementary_none"), seen))))


def fits(looking: Lookups, words: Words) -> Suggested:
    """Use cases that have words of the objectives of the company."""
    say, item = looking.say, _use_case(looking, words)
    company = _company(looking)
    objectives = str(company.fields.get("objectives") or "")
    if not objectives:
        raise Answered("no_objectives", item=company)
    aims = [aim.strip() for aim in re.split(r"[.;,\n]", objectives) if _stems([aim])]
    if item:
        found, count = [_in_brief(item)], 1
    else:
        found, count = _use_cases(looking)
        found = _with_hits(looking, found, aims)
    matches = [(row, aim, shared) for row in found for aim in aims if (shared := _in_common(aim, row))]
    best = sorted(matches, key=lambda match: -len(match[2]))[:MAX_FITTING]
    suggestions = []
    for row, aim, shared in best:
        text = say("fits", x=looking.named(row["object"], row["title"]), aim=plain(aim), words=", ".join(shared))
        suggestions.append(Suggestion(text, _note_of(looking, row, aim) if item else None))
    seen = say("seen_of", seen=len(found), count=count) if len(found) < count else ""
    rule = " ".join(filter(None, (say("by_words_of_objectives"), seen)))
    return Suggested(say("fitting", item=company), suggestions, rule, say("fits_none", item=company))


def _note_of(looking: Lookups, row: Row, aim: str) -> PlannedCall | None:
    say, item = looking.say, looking.as_item(row)
    return more_texts(item, "data.references", [say("note_serves", aim=aim)], say("reason_serves", aim=plain(aim)))


def _use_case(looking: Lookups, words: Words) -> Item | None:
    """The use case that is named, or at hand."""
    if words.get("x") or looking.seen.at_hand.startswith(f"{USE_CASE}:"):
        item = looking.exactly(words.get("x", ""))
        return item if item.key.startswith(f"{USE_CASE}:") else None
    return None


def _company(looking: Lookups) -> Item:
    """The company at hand, or that holds what is at hand. Raises `Answered` where there is none."""
    given = looking.given
    above = (row for row in rows(given.get("above")) if row["object"].startswith(f"{COMPANY}:"))
    if looking.seen.at_hand.startswith(f"{COMPANY}:"):
        return looking.exactly("")
    if row := next(above, None):
        return looking.as_item(row)
    raise Answered("no_company")


def _use_cases(looking: Lookups) -> tuple[list[Row], int]:
    """The use cases of what is at hand, of a company by its folders, and how many there are; else all."""
    given, (own, _colon, _key) = looking.given, looking.seen.at_hand.partition(":")
    if own in (FOLDER, SUMMARY):
        told = [row for row in rows(given.get("held")) if row["object"].startswith(f"{USE_CASE}:")]
        count = int(((given.get("holds") or {}).get(USE_CASE) or {}).get("count", 0))
        holder = looking.seen.at_hand if own == FOLDER else str(given.get("parent"))
        return (told, count) if len(told) == count else listed(looking, USE_CASE, holder)
    if own == COMPANY:
        folders = [row["object"] for row in folders_of(looking, looking.seen.at_hand)]
        pages = together(lambda folder: listed(looking, USE_CASE, folder), folders)
        return [row for some, _count in pages for row in some], sum(count for _some, count in pages)
    return listed(looking, USE_CASE, str(given.get("parent") or "") if own == USE_CASE else "")


def _around(looking: Lookups, item: Item) -> tuple[list[Row], int]:
    """A use case with those beside it, and those that a search finds by its first words wherever they are."""
    parent = str(item.row.get("parent") or "")
    query = plain(f"{item.title} {item.fields.get('data.description') or ''}")
    looks: list[Callable[[], Any]] = [lambda: looking.one("search_objects", query=query, kinds=[USE_CASE])]
    looks += [lambda: listed(looking, USE_CASE, parent, enough=1)] if parent else []
    shown, *pages = together(lambda look: look(), looks)
    beside, count = pages[0] if pages else ([], 0)
    hits = [row["object"] for row in rows(shown.get("objects"))]
    known = {row["object"] for row in beside} | {item.key}
    others = [PlannedCall("read_object", {"object": each}) for each in hits if each not in known][:MAX_READ]
    found = [_in_brief(looking.as_item(row)) for row in looking.look(*others) if "object" in row]
    own = next((row for row in beside if row["object"] == item.key), _in_brief(item))
    return [own, *(row for row in beside if row["object"] != item.key), *found], max(count, 1) + len(found)


def _sharing(looking: Lookups, item: Item) -> tuple[list[Item], int]:
    """The use cases that a search for the data of one finds, read."""
    wanted = [text for field in _SHARED for text in texts(item.fields.get(field))][:MAX_SEARCHED]
    calls = (PlannedCall("search_objects", {"query": text[:200], "kinds": [USE_CASE]}) for text in wanted)
    hits = [row["object"] for shown in looking.look(*calls) for row in rows(shown.get("objects"))]
    others = [each for each in dict.fromkeys(hits) if each != item.key]
    read = looking.look(*(PlannedCall("read_object", {"object": each}) for each in others[:MAX_READ]))
    return [looking.as_item(row) for row in read if "fields" in row], len(others)


def _read(looking: Lookups, found: tuple[list[Row], int]) -> tuple[list[Item], int]:
    names = [row["object"] for row in found[0]][:MAX_READ]
    read = looking.look(*(PlannedCall("read_object", {"object": each}) for each in names))
    return [looking.as_item(row) for row in read if "fields" in row], found[1]


def _with_hits(looking: Lookups, found: list[Row], aims: list[str]) -> list[Row]:
    """The rows, with the words around what a search for the objectives found in them."""
    calls = (PlannedCall("search_objects", {"query": aim[:200], "kinds": [USE_CASE]}) for aim in aims[:MAX_SEARCHED])
    hits: dict[str, str] = {}
    for shown in looking.look(*calls):
        for row in rows(shown.get("objects")):
            hits[row["object"]] = f"{hits.get(row['object'], '')} {row.get('text', '')}"
    return [{**row, "found": hits.get(row["object"], "")} for row in found]


def _in_brief(item: Item) -> Row:
    """A use case that was read, as a row of a list."""
    brief = {name: plain(value) for name, value in item.fields.items() if name.rpartition(".")[2] in FIRST}
    return {
        "object": item.key,
        "title": item.title,
        "status": item.fields.get("status"),
        **brief,
        "fields": item.fields,
    }


def _words_of(row: Row) -> set[str]:
    parts = (value for name, value in row.items() if name == "title" or name.rpartition(".")[2] in FIRST)
    return {word for text in parts for word in _WORD.findall(str(text).lower())}


def _shared(one: set[str], other: set[str]) -> list[str]:
    """The words that two texts share and that say something, if all that they share are so many that they are alike."""
    both = one & other
    is_alike = len(both) > ALIKE * min(len(one), len(other))
    return sorted(filter(_says_something, both)) or sorted(both) if is_alike else []


def _extents(looking: Lookups, names: list[str]) -> dict[str, tuple[bool, int]]:
    """Whether use cases are ready, and how much they say, to keep of two the one that says more."""
    read = looking.look(*(PlannedCall("read_object", {"object": each}) for each in dict.fromkeys(names)))
    fields = {row["object"]: row["fields"] for row in read if "fields" in row}
    return {key: (each.get("status") == "ready", len(str(each))) for key, each in fields.items()}


def _shared_data(one: Item, other: Item) -> list[str]:
    """The data that two use cases work with, as the first one calls them."""
    theirs = {bare(text) for field in _SHARED for text in texts(other.fields.get(field))}
    return list(
        dict.fromkeys(text for field in _SHARED for text in texts(one.fields.get(field)) if bare(text) in theirs)
    )


def _in_common(aim: str, row: Row) -> list[str]:
    """The words of an objective that a use case has, too."""
    values = (value for name, value in row.items() if name not in ("object", "parent", "status", "fields"))
    said = _stems(map(str, values))
    return [word for stem, word in _stems([aim]).items() if stem in said]


def _stems(of: Iterable[str]) -> dict[str, str]:
    """The words that say something, by what their forms begin with."""
    words = (word for text in of for word in _WORD.findall(text.lower()))
    return {folded(word)[:_STEM]: word for word in words if _says_something(word)}


def _says_something(word: str) -> bool:
    return word not in STOP_WORDS and folded(word) not in _AMOUNTS and not word.isdigit()
