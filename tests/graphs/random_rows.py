"""Random changes of rows of an application: by people, through the door, and by other code past it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from graphs.history import editing
from graphs.history.editing import Request
from graphs.history.outside import catch_up
from graphs.models import Object
from graphs.objects import actions
from graphs.objects.actions import ChangeRefused
from graphs.objects.headers import existing
from graphs.objects.kinds import KINDS
from graphs.objects.model_values import record_of
from graphs.objects.operations import Record
from graphs.objects.refs import Ref
from graphs.site.access import Member
from tests.graphs.workflows.interchange.strategies import texts, values
from tests.shop.models import Product, Shop

money = st.sampled_from(
    ["12.50", "12.5", 12.5, 12, "1e2", "0.10", 0.1, 0, -1, "9999999.99", "12.505", True, None, "far"]
)
days = st.sampled_from(["2024-02-29", "2023-02-29", "1999-12-31", None, 7, "2024-02-29T10:00:00Z"])
weights = (
    st.floats(-1e9, 1e9) | st.integers(-(10**6), 10**6) | st.none() | st.sampled_from(["1.5", "heavy", "inf", True])
)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "name": texts, "notes": texts, "price": money, "since": days, "weight": weights, "data.problem": values,
    "data.scores": values,
}  # fmt: skip
ACTIONS = ["update", "update", "update", "update", "outside", "quietly", "move", "delete", "delete outside", "create"]
State = dict[str, Record]


@dataclass
class RowStory:
    """`states` are what there was after each step, `keys` are in the order of their coming.

    `versions` are what each object was at its versions, by the primary key of its header.
    """

    member: Member
    keys: list[str] = field(default_factory=list)
    states: list[State] = field(default_factory=list)
    versions: dict[int, dict[int, Record]] = field(default_factory=dict)

    def look(self) -> None:
        """What others saved is noticed first."""
        self.states.append(state(self.member))
        self.keys += [key for key in self.states[-1] if key not in self.keys]
        there = [existing(self.member.workspace.pk, Ref("product", key)) for key in self.states[-1]]
        catch_up(of for of in there if of is not None)
        for header in Object.objects.filter(workspace=self.member.workspace, type="product"):
            self.versions.setdefault(header.pk, {})[header.version] = self.states[-1][header.key]


def state(member: Member) -> State:
    """Sorted by what does not differ from one run to the next."""
    rows = Product.objects.filter(shop__workspace=member.workspace).order_by("name", "notes")
    return {str(row.pk): record_of(KINDS["product"], row) for row in rows}


def happen(draw: Callable[[Any], Any], member: Member, steps: int) -> RowStory:
    """So many steps, those aside that were refused."""
    story = RowStory(member)
    story.look()
    for _number in range(steps):
        before = state(member)
        try:
            _act(draw, member, [key for key in story.keys if key in before])
        except ChangeRefused:
            assert state(member) == before
        story.look()
    return story


def _act(draw: Callable[[Any], Any], member: Member, keys: list[str]) -> None:
    action = draw(st.sampled_from(ACTIONS))
    name = draw(st.sampled_from(sorted(VALUES)))
    shops = list(Shop.objects.order_by("pk"))
    if action == "create" or not keys:
        fields = {"name": draw(texts), name: draw(VALUES[name])}
        parent = f"shop:{draw(st.sampled_from(shops)).pk}"
        asked = actions.parse("create_object", {"kind": "product", "parent": parent, "fields": fields})
        editing.create_object(member, KINDS["product"], Request([asked]))
        return
    key = draw(st.sampled_from(keys))
    match action:
        case "update":
            fields = {name: draw(VALUES[name])} | ({"notes": draw(texts)} if draw(st.booleans()) else {})
            _edit(member, key, "update_object", updates=fields)
        case "move":
            _edit(member, key, "move_object", parent=f"shop:{draw(st.sampled_from(shops)).pk}")
        case "delete":
            _edit(member, key, "delete_object")
        case "outside":
            row = Product.objects.get(pk=key)
            row.name, row.data = (
                draw(texts) or "x",
                draw(st.dictionaries(st.sampled_from(["problem", "other"]), values)),
            )
            row.save()
        case "quietly":
            Product.objects.filter(pk=key).update(notes=draw(texts), price=draw(st.integers(0, 9)))
        case _:
            Product.objects.get(pk=key).delete()


def _edit(member: Member, key: str, name: str, **arguments: Any) -> None:
    ref = Ref("product", key)
    of = existing(member.workspace.pk, ref)
    assert of is not None
    editing.edit(member, of, Request([actions.parse(name, {"object": str(ref), **arguments})]))
