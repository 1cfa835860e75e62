"""What a conversation about no object is told: which objects its workspace has."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.models import AlwaysSend
from graphs.models import Graph, Workspace
from graphs.objects.kinds import Kind
from graphs.site.access import Member, member_of
from rag.sources.block import Block
from rag.sources.objects.source import SourceOfObjects
from rag.sources.registered_sources import ANY, MAX_LISTED, register, workspace_block
from tests.registered import pin, pins, product, shops
from tests.shop.models import Shop

pytestmark = pytest.mark.django_db


def test_graphs_are_listed_with_their_names_and_no_others(nba: Graph, other_workspace: Workspace, alice: User) -> None:
    other_graph = Graph.objects.create(workspace=other_workspace, key="foreign", name="Foreign graph")
    block = workspace_block(member_of(alice))
    assert block.heading.startswith("The graphs of this workspace")
    assert nba.name in block.body
    assert other_graph.name not in block.body


def test_a_kind_with_a_page_is_listed_as_far_as_the_member_may_see_it(
    demo_workspace: Workspace, other_workspace: Workspace, alice: User
) -> None:
    shop = Shop.objects.create(workspace=demo_workspace, name="Corner shop")
    foreign = Shop.objects.create(workspace=other_workspace, name="Other")
    with shops(url=lambda row: f"/products/{row.pk}/", may_see=lambda _member, row: row.name != "Parasol"):
        assert "has no product yet" in workspace_block(member_of(alice)).heading
        seen = product(shop, "Umbrella")
        product(shop, "Parasol")
        product(foreign, "Hammer")
        block = workspace_block(member_of(alice))
    assert "This workspace has no graphs yet." in block.heading
    assert f"product:{seen.pk}" in block.body
    assert "Parasol" not in block.body
    assert "Hammer" not in block.body


def test_who_may_see_few_of_many_is_told_of_these(demo_workspace: Workspace, alice: User) -> None:
    asked = []

    def may_see(_member: Member, row: AlwaysSend) -> bool:
        asked.append(row)
        return "hidden" not in row.object_key

    for number in range(5 * MAX_LISTED):
        pin(demo_workspace, f"hidden-{number:03}")
    pin(demo_workspace, "seen-000")
    with pins(may_see=may_see):
        assert "seen-000" in workspace_block(member_of(alice)).body
        for number in range(1, 5 * MAX_LISTED):
            pin(demo_workspace, f"a-seen-{number:03}")
        asked.clear()
        assert f"Only the first {MAX_LISTED} by title" in workspace_block(member_of(alice)).heading
        assert len(asked) == MAX_LISTED + 1


def test_no_more_than_so_many_are_looked_at(
    demo_workspace: Workspace, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag.sources.objects.overviews.MAX_LOOKED_AT", 3)
    for number in range(5):
        pin(demo_workspace, f"graph-{number}")
    with pins(may_see=lambda _member, row: row.object_key > "graph-1"):
        body = workspace_block(member_of(alice)).body
    assert "graph-2" in body
    assert "graph-3" not in body


def test_of_many_only_the_first_are_listed(demo_workspace: Workspace, alice: User) -> None:
    for number in range(MAX_LISTED + 1):
        pin(demo_workspace, f"graph-{number:02}")
    with pins():
        block = workspace_block(member_of(alice))
    assert f"Only the first {MAX_LISTED} by title" in block.heading
    assert f"graph-{MAX_LISTED - 1:02}" in block.body
    assert f"graph-{MAX_LISTED:02}" not in block.body


def test_a_source_is_asked_once_and_the_kinds_stay_in_their_order(
    demo_workspace: Workspace, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Told(SourceOfObjects):
        def overviews(self, member: Member, kinds: Sequence[Kind]) -> list[Block]:
            asked.append([kind.name for kind in kinds])
            return [Block(f"<{kind.name}>") for kind in kinds]

    asked: list[list[str]] = []
    monkeypatch.setattr("rag.sources.registered_sources._sources", {ANY: Told()})
    for_two = Told()
    register("company", for_two)
    register("folder", for_two)
    assert workspace_block(member_of(alice)).heading == "<graph> <company> <folder> <usecase>"
    assert asked == [["graph", "usecase"], ["company", "folder"]]


@pytest.mark.parametrize(
    ("kind", "source", "told"),
    [
        ("product", SourceOfObjects(), "No kind of object is called 'product'. Register the model with graphs.objects"),
        ("node", SourceOfObjects(), "No kind of object is called 'node'"),
        ("graph", SourceOfObjects(), "Two sources are registered for 'graph'. Keep one of them"),
        (ANY, SourceOfObjects(), "Two sources are registered for ''"),
        ("nodeType", object(), "nodeType: <object .*> is no source. Write its methods retrieve, overviews, dump"),
        ("nodeType", SourceOfObjects, r"is a class. Write register\('nodeType', SourceOfObjects\(\)\)"),
    ],
)
def test_what_cannot_be_registered_is_refused(kind: str, source: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        register(kind, source)
