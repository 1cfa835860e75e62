"""Where a new node goes when nobody said: beside what it is connected to, on no other node."""

from collections.abc import Sequence

from graphs.workflows.planning.boxes import GAP_ALONG, Box, bounds, box_of, free_y
from graphs.workflows.planning.draft import Draft


def beside(draft: Draft, key: str, before: Sequence[str], after: Sequence[str]) -> tuple[float, float]:
    """A place for the node right of those before it and left of those after it, as far as they are on its sheet."""
    node = draft.node(key)
    others = {other: box for other, box in draft.boxes(node["sheet"]).items() if other != key}
    box = box_of(node)
    left = [others[other] for other in before if other in others]
    right = [others[other] for other in after if other in others]
    wanted = _wanted(box, left, right, others)
    return wanted.x, round(free_y(wanted, others.values()))


def _wanted(box: Box, left: Sequence[Box], right: Sequence[Box], others: dict[str, Box]) -> Box:
    if left and right:
        start, end = max(each.right for each in left), min(each.x for each in right)
        x = (start + end - box.width) / 2 if start < end else start + GAP_ALONG
    elif left:
        x = max(each.right for each in left) + GAP_ALONG
    elif right:
        x = min(each.x for each in right) - GAP_ALONG - box.width
    else:
        around = bounds(others.values()) if others else Box(0, 0, 0, 0)
        return box.at(around.x, around.bottom)
    beside = [*left, *right]
    middle = sum(each.y + each.height / 2 for each in beside) / len(beside)
    return box.at(round(x), round(middle - box.height / 2))
