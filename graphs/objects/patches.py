"""Changes of a text or of JSON that say only what is different: search and replace, and merge patches (RFC 7396)."""

from bisect import bisect_right
from collections.abc import Sequence
from copy import deepcopy
from difflib import SequenceMatcher
from itertools import accumulate
from typing import Any

from django.utils.translation import gettext as _

from graphs.objects.actions import ChangeRefused
from graphs.objects.likeness import in_common, places
from graphs.objects.strict import DataPatch, Patch
from graphs.site.json_values import shown

#: Lines of a text, and characters of what was searched for, within which the nearest place is looked for.
SEARCHED_LINES = 5_000
SEARCHED_CHARS = 2_000
#: Characters of longer lines within which a place is looked for.
SEARCHED_WITHIN = 100_000
#: Characters of all places that are compared, and pairs of equal ones among which the longest piece is looked for.
COMPARED_CHARS = 2_000_000
COMPARED_PAIRS = 3_000_000
#: What is less alike is no help.
ALIKE = 0.5
#: Characters of the nearest place that are shown.
SHOWN_CHARS = 600


def patched(text: str, patches: Sequence[Patch], what: str) -> str:
    """The text after all patches; `what` names it. Each must fit exactly once."""
    for number, patch in enumerate(patches):
        text = replaced(text, patch, _('processPatches[{index}] of "{what}"').format(index=number, what=what))
    return text


def replaced(text: str, patch: Patch, where: str) -> str:
    """The text after a patch, which must fit exactly once; `where` names the patch."""
    search, replace = _with_ends_of(text, patch.search), _with_ends_of(text, patch.replace)
    first = text.find(search)
    if first < 0:
        raise ChangeRefused(_nowhere(text, search, where))
    second = text.find(search, first + 1)  # also overlapping the first
    if second >= 0:
        found = [first, second, text.find(search, second + 1)]
        lines = ", ".join(str(text.count("\n", 0, start) + 1) for start in found if start >= 0)
        message = _(
            "{where}: the search text occurs more than once (lines {lines}). "
            "Add what stands around it until it is unique."
        )
        raise ChangeRefused(message.format(where=where, lines=lines))
    return text[:first] + replace + text[first + len(search) :]


def patched_data(data: Any, patches: Sequence[DataPatch], what: str) -> Any:
    """The data with its texts patched, each at its path (a JSON Pointer, RFC 6901)."""
    data = deepcopy(data)
    for number, patch in enumerate(patches):
        where = _('dataPatches[{index}] of "{what}"').format(index=number, what=what)
        *steps, last = [step.replace("~1", "/").replace("~0", "~") for step in patch.path.split("/")[1:]]
        holder = data
        for step in steps:
            holder = _member(holder, step)
        text = _member(holder, last)
        if not isinstance(text, str):
            message = _("{where}: there is no text at {path}. Read the present data first.")
            raise ChangeRefused(message.format(where=where, path=shown(patch.path)))
        holder[int(last) if isinstance(holder, list) else last] = replaced(text, patch, where)
    return data


def _member(holder: Any, step: str) -> Any:
    if isinstance(holder, dict):
        return holder.get(step)
    if isinstance(holder, list) and step.isascii() and step.isdigit() and int(step) < len(holder):
        return holder[int(step)]
    return None


def merged(value: Any, patch: Any) -> Any:
    """The value with a merge patch applied: objects are merged, null removes, all else replaces."""
    if not isinstance(patch, dict):
        return patch
    result = dict(value) if isinstance(value, dict) else {}
    for key, part in patch.items():
        if part is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), part)
    return result


def _with_ends_of(text: str, part: str) -> str:
    """Models write line feeds; a text with carriage returns keeps them."""
    return part.replace("\n", "\r\n") if "\r\n" in text and "\r\n" not in part else part


def _nowhere(text: str, search: str, where: str) -> str:
    found = _nearest(text, search)
    if found is None:
        message = _("{where}: the search text does not occur, nor anything like it. Read the present text first.")
        return message.format(where=where)
    line, nearest = found
    message = _("{where}: the search text does not occur. Nearest is line {line}; copy it exactly:\n{nearest}")
    return message.format(where=where, line=line, nearest=nearest[:SHOWN_CHARS])


def _nearest(text: str, search: str) -> tuple[int, str] | None:
    """The lines that are most like what was searched for, with the number of the first."""
    lines = text.split("\n")[:SEARCHED_LINES]
    search = search.strip("\r\n")[:SEARCHED_CHARS]
    height = search.count("\n") + 1
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(search)
    wanted = places(search)
    best, found = ALIKE, None
    pairs_left = COMPARED_PAIRS if height == 1 else 0
    chars_left = COMPARED_CHARS
    for start in range(max(len(lines) - height, 0) + 1):
        window = "\n".join(lines[start : start + height])
        part = window
        if len(window) > len(search) and pairs_left > 0:
            within, pairs = _within(window[:SEARCHED_WITHIN], wanted, pairs_left)
            pairs_left -= pairs
            part = _most_alike(matcher, within, window, len(search))
        compared = part[: 2 * SEARCHED_CHARS]
        matcher.set_seq1(compared)
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best:
            alike = 2 * in_common(compared, wanted, len(search)) / max(len(compared) + len(search), 1)
            if alike > best:
                best, found = alike, (start + 1, window if len(window) <= SHOWN_CHARS else part)
        chars_left -= len(compared)
        if chars_left < 0:
            break
    return found


def _within(line: str, wanted: dict[str, int], most: int) -> tuple[str, int]:
    """The beginning of a line that makes at most so many pairs of equal characters, and how many it makes."""
    counts = [*accumulate(wanted.get(character, 0).bit_count() for character in line)]
    end = bisect_right(counts, most)
    return line[:end], counts[end - 1] if end else most


def _most_alike(matcher: SequenceMatcher[str], within: str, line: str, length: int) -> str:
    """The part of a line, of this length, around the longest piece within it that both have."""
    matcher.set_seq1(within)
    found = matcher.find_longest_match()
    start = max(found.a - found.b, 0)
    return line[start : start + length]
