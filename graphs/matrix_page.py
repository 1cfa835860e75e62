"""The page of the matrix of a folder: the drawing, the same as a table, and the weights beside it."""

import json
import math
import uuid
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from graphs.models import Object
from graphs.models.records import Status
from graphs.records.folder_matrix import (
    DEFAULT_ORDER,
    ORDERS,
    PAGE,
    Cell,
    FolderMatrix,
    Rated,
    folder_for,
    matrix_of,
    ordered,
    version_of,
)
from graphs.records.kinds import FOLDER
from graphs.records.matrix import Side
from graphs.records.scenes import QUADRANTS, amount, shown_of
from graphs.site.access import Member
from graphs.site.pages import member_page, render_page

#: Use cases without a place that are listed with what they lack.
UNRATED_LISTED = 200
#: Axes that are named of those that a use case has no rating on.
MISSING_NAMED = 5
_COLUMNS: dict[str, str | Promise] = {
    "name": _("Use case"),
    "status": _("Status"),
    "value": _("Value"),
    "complexity": _("Complexity"),
    "quadrant": _("Quadrant"),
}
_ARROWS = (("", "↑"), ("-", "↓"))


@require_safe
@member_page
def matrix(request: HttpRequest, member: Member, folder: uuid.UUID) -> HttpResponse:
    row = folder_for(member, str(folder))
    found = matrix_of(row)
    version = version_of(row)
    context = {
        "folder": row,
        "version": version,
        "of": Object(workspace=member.workspace, type=FOLDER.name, key=str(row.pk), version=version),
        "matrix": found,
        "shown_of": shown_of(found) if found.is_cut else "",
        "unrated": [_unrated(each) for each in found.unrated[:UNRATED_LISTED]],
        "unrated_more": len(found.unrated) - UNRATED_LISTED,
        "sides": [_side(*each) for each in _sides(found)],
        "config": row.matrix_config,
        "parts": _parts(found),
        "words": {
            "statuses": {status.value: str(status.label) for status in Status},
            "quadrants": {quadrant.value: str(label) for quadrant, label in QUADRANTS.items()},
        },
        **_table(request, found),
    }
    return render_page(request, member, "graphs/records/matrix_page.html", context)


def _parts(found: FolderMatrix) -> str:
    """What the page is made of. While that stays, scripts put what changes in its place; else they load it anew."""
    axes = [[axis.id, axis.name] for side in (found.matrix.value, found.matrix.complexity) for axis in side.axes]
    return json.dumps([axes, bool(found.use_cases), bool(found.placed)], ensure_ascii=False)


def _sides(found: FolderMatrix) -> Iterable[tuple[str, str | Promise, Side]]:
    yield "value", _("Value"), found.matrix.value
    yield "complexity", _("Complexity"), found.matrix.complexity


def _side(name: str, label: str | Promise, side: Side) -> dict[str, Any]:
    """A side for the form: numbers as browsers read them."""
    axes = [{"id": axis.id, "name": axis.name, "weight": f"{axis.weight:.12g}"} for axis in side.axes]
    return {"name": name, "label": label, "axes": axes, "threshold": f"{side.threshold:.12g}"}


def _table(request: HttpRequest, found: FolderMatrix) -> dict[str, Any]:
    """One page of the placed use cases, as the address asks for it. What cannot be asked for is left out."""
    order = request.GET.get("order", DEFAULT_ORDER)
    order = order if order.removeprefix("-") in ORDERS else DEFAULT_ORDER
    cell = Cell.parse(request.GET.get("cell", ""))
    rows = ordered(found.within(cell), order)
    pages = max(math.ceil(len(rows) / PAGE), 1)
    asked = request.GET.get("page", "1")
    page = min(max(int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 6 else 1, 1), pages)
    workspace = {"workspace": request.GET["workspace"]} if "workspace" in request.GET else {}
    kept = workspace | ({"cell": str(cell)} if cell else {})
    return {
        "columns": [(name, label, *_direction(name, order, kept)) for name, label in _COLUMNS.items()],
        "rows": [_row(each) for each in rows[(page - 1) * PAGE : page * PAGE]],
        "count": len(rows),
        "order": order,
        "orders": [
            (f"{minus}{name}", f"{label} {arrow}") for name, label in _COLUMNS.items() for minus, arrow in _ARROWS
        ],
        "kept": kept,
        "cell": cell,
        "all": f"?{urlencode(workspace)}",
        "page": page,
        "pages": pages,
        "previous": f"?{urlencode(kept | {'order': order, 'page': page - 1})}" if page > 1 else "",
        "next": f"?{urlencode(kept | {'order': order, 'page': page + 1})}" if page < pages else "",
    }


def _unrated(each: Rated) -> dict[str, Any]:
    """A use case without a place and what it lacks; an axis of value and one of complexity may have one name."""
    value, complexity = each.place.value.unrated, each.place.complexity.unrated
    both = {*value} & {*complexity}
    sides = ((_("Value"), value), (_("Complexity"), complexity))
    lacks = [f"{name} ({side})" if name in both else name for side, names in sides for name in names]
    more = len(lacks) - MISSING_NAMED
    return {"id": each.id, "name": each.name, "lacks": ", ".join(lacks[:MISSING_NAMED]), "more": more}


def _direction(name: str, order: str, kept: dict[str, str]) -> tuple[str, str]:
    """How the table is ordered by a column now ("" if it is not), and the address that orders it by that column."""
    if name == order.removeprefix("-"):
        return ("descending", _by(name, kept)) if order.startswith("-") else ("ascending", _by(f"-{name}", kept))
    return "", _by(f"-{name}" if name in ("value", "complexity") else name, kept)


def _by(order: str, kept: dict[str, str]) -> str:
    return f"?{urlencode(kept | {'order': order})}#matrix-table"


def _row(each: Rated) -> dict[str, Any]:
    return {
        "id": each.id,
        "name": each.name,
        "status": each.status,
        "status_label": Status(each.status).label if each.status in Status.values else each.status,
        "value": amount(each.place.value.points),
        "complexity": amount(each.place.complexity.points),
        "quadrant": QUADRANTS[each.place.quadrant],
    }
