"""Sheets of the graph at hand, as changes name them: what is said to be a sheet is no node of that name."""

import re
from collections.abc import Callable
from typing import Any

from chat.providers.demo.folding import bare, folded
from chat.providers.demo.lookups import Answered, Lookups, rows
from chat.providers.demo.seen import Row
from chat.providers.demo.sentences import INTENTS, plain, subject

#: What is said before the name of a sheet.
_SAID = re.compile(
    r"(?:(?:the|this|our|la|les|cette|notre)\s+)?(?:sheets?|feuilles?(?! d[e'’]))(?:\s+|$)", re.IGNORECASE
)
#: The tool that only conversations about a graph have.
_OVERVIEW = "read_graph_overview"

Values = dict[str, Any]


def refuse_others(looking: Lookups, words: dict[str, str]) -> None:
    """Raises `Answered` for a change of a sheet that there is no proposal for."""
    if _OVERVIEW in looking.seen.offered and any(_SAID.match(words.get(slot, "")) for slot in ("x", "y")):
        raise Answered("sheets_can")


def _created(looking: Lookups, values: Values) -> Values:
    _all(looking)
    return {"name": values["name"] or looking.say("new_sheet")}


def _renamed(looking: Lookups, values: Values) -> Values:
    found = _deleted(looking, values)
    if not values["name"]:
        raise Answered("sheet_name", sheet=looking.say("quoted", text=plain(found["sheet"])))
    return found


def _ordered(looking: Lookups, values: Values) -> Values:
    """Its place among all sheets, from 0, and in words from 1."""
    found, to, row = _deleted(looking, values), folded(values["to"]), INTENTS["order_sheet"]
    others = [each["key"] for each in _all(looking) if each["key"] != found["key"]]
    if "other" in values:
        other = _sheet(looking, values["other"])["key"]
        if other == found["key"]:
            raise Answered("sheet_itself", sheet=looking.say("quoted", text=plain(found["sheet"])))
        at = others.index(other) + (to in row["after"])
    elif to.isdecimal():
        at = min(max(int(to) - 1, 0), len(others))
    else:
        at = 0 if to in row["first"] else len(others)
    return found | {"position": at, "place": str(at + 1)}


def _deleted(looking: Lookups, values: Values) -> Values:
    sheet = _sheet(looking, values.get("sheet") or "")
    return {"key": sheet["key"], "sheet": _title(sheet)}


def _sheet(looking: Lookups, words: str) -> Row:
    """The sheet whose name or key these words are; without words the only one there is. Raises `Answered`."""
    sheets, name = _all(looking), subject(_SAID.sub("", words, count=1))
    called = [each for each in sheets if not name or bare(name) in {bare(each["key"]), bare(_title(each))}]
    if len(called) == 1:
        return called[0]
    names = looking.say.joined([looking.say("quoted", text=plain(_title(each))) for each in sheets])
    raise Answered("no_sheet" if name and not called else "which_sheet", sheet=plain(name), names=names)


def _all(looking: Lookups) -> list[Row]:
    """The sheets of the graph at hand. Raises `Answered` where there is no graph."""
    if _OVERVIEW not in looking.seen.offered:
        raise Answered("sheets_of_graphs")
    return rows(looking.one(_OVERVIEW).get("sheets"))


def _title(sheet: Row) -> str:
    return str(sheet["name"] or sheet["key"])


#: What the templates of changes of sheets need beside the words.
VALUES: dict[str, Callable[[Lookups, Values], Values]] = {
    "create_sheet": _created,
    "rename_sheet": _renamed,
    "order_sheet": _ordered,
    "delete_sheet": _deleted,
}
