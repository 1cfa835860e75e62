from collections.abc import Iterator
from typing import Any

import pytest

from chat.models import AlwaysSend
from chat.subjects import tools
from chat.subjects.registered_subjects import subject_of
from chat.subjects.tools import CallRefused, specs
from chat.tools.tool import ToolContext
from graphs.models import Role, Workspace
from graphs.objects.kinds import Kind
from rag.texts.tables import as_json
from tests.registered import pin, pins, product, shops
from tests.seeded import World, world
from tests.shop.models import Shop


@pytest.fixture
def here(db: None) -> World:
    return world()


@pytest.fixture
def kind() -> Iterator[Kind]:
    with pins() as registered:
        yield registered


@pytest.fixture
def context(kind: Kind, here: World) -> ToolContext:
    return ToolContext(here.alice, None)


@pytest.fixture
def spring(context: ToolContext) -> AlwaysSend:
    return pin(context.member.workspace, "spring", part_key="flowers")


def read(context: ToolContext, name: str, **arguments: Any) -> dict[str, Any]:
    call = tools.parse(name, as_json(arguments), tools.by_name())
    assert not isinstance(call, CallRefused), call
    return tools.run(call, context)


def test_it_reads_an_object(context: ToolContext, spring: AlwaysSend) -> None:
    name = f"pin:{spring.pk}"
    told = read(context, "read_object", object=name)
    assert (told["object"], told["title"], told["version"]) == (name, "spring", 1)
    assert told["fields"] == {"object_key": "spring", "part_key": "flowers"}
    assert read(context, "read_object", object=name, fields=["part_key"])["fields"] == {"part_key": "flowers"}
    assert read(context, "read_object", object="graph:nba-statistics")["error"].startswith("There is no")


def test_it_reads_a_graph_down_to_its_nodes(context: ToolContext, here: World) -> None:
    parts = read(context, "read_object", object="graph:nba")["parts"]
    assert parts["node"]["count"] == here.nba.nodes.count()
    assert "node:root" in parts["node"]["first"]
    node = read(context, "read_object", object="graph:nba", part="node:root", fields=["name", "sheet"])
    assert (node["part"], node["fields"]["name"]) == ("node:root", here.nba.nodes.get(key="root").name)
    elsewhere = here.orders.nodes.exclude(key__in=here.nba.nodes.values("key")).first()
    assert elsewhere is not None
    for part in ("node:nowhere", f"node:{elsewhere.key}", "nodeType:filter", f"graph:{here.orders.key}"):
        assert "has no part" in read(context, "read_object", object="graph:nba", part=part)["error"]


def test_it_says_what_there_is_when_a_name_is_wrong(context: ToolContext, spring: AlwaysSend) -> None:
    assert "Fields of pin: object_key" in read(context, "read_object", object=f"pin:{spring.pk}", fields=["x"])["error"]
    kinds = "Kinds: graph, nodeType, company, folder, executive_summary, usecase, pin"
    assert kinds in read(context, "list_objects", kind="sheet")["error"]
    assert "Kinds: graph" in read(context, "read_object", object="node:root")["error"]
    assert "is held by no other object" in read(context, "list_objects", kind="pin", parent="graph:nba")["error"]
    assert "There is no field" in read(context, "list_objects", kind="pin", orderBy="-x")["error"]
    assert "is no date" in read(context, "read_history", object=f"pin:{spring.pk}", since="yesterday")["error"]
    assert "is no date" in read(context, "read_history", object=f"pin:{spring.pk}", since="2026-02-31")["error"]


def test_foreign_objects_are_answered_as_absent_ones(context: ToolContext, spring: AlwaysSend, here: World) -> None:
    foreign = pin(Workspace.objects.exclude(pk=here.alice.workspace.pk).get(), "secret")
    for tool in ("read_object", "read_history"):
        answers = [str(read(context, tool, object=f"pin:{key}")) for key in (foreign.pk, 999_999)]
        assert answers[0].replace(str(foreign.pk), "") == answers[1].replace("999999", "")
    assert len(read(context, "list_objects", kind="pin")["objects"]) == 1
    assert read(context, "search_objects", query="secret")["objects"] == []


def test_who_may_not_see_an_object_does_not_find_it(here: World) -> None:
    with pins(may_see=lambda _member, row: row.object_key != "hidden"):
        hidden = pin(here.alice.workspace, "hidden")
        pin(here.alice.workspace, "shown")
        context = ToolContext(here.alice, None)
        assert "error" in read(context, "read_object", object=f"pin:{hidden.pk}")
        assert "hidden" not in str(read(context, "list_objects", kind="pin"))
        assert read(context, "search_objects", query="hidden", kinds=["pin"])["objects"] == []


def test_what_somebody_may_not_see_is_not_counted(here: World) -> None:
    """Neither in totals, nor in what there is more of, nor in what another object holds."""
    with shops(may_see=lambda _member, row: "hidden" not in row.name):
        shop = Shop.objects.create(workspace=here.alice.workspace, name="Corner")
        for number in range(10):
            product(shop, f"A hidden lamp {number}", notes="A lamp")
            product(shop, f"Lamp {number}")
        context = ToolContext(here.alice, None)
        found = read(context, "search_objects", query="lamp", kinds=["product"])
        assert ({each["title"][:4] for each in found["objects"]}, len(found["objects"])) == ({"Lamp"}, 10)
        assert "note" not in found
        assert read(context, "list_objects", kind="product", search="lamp")["total"] == 10
        assert read(context, "list_objects", kind="product", parent=f"shop:{shop.pk}")["total"] == 10
        assert read(context, "read_object", object=f"shop:{shop.pk}")["holds"] == {"product": 10}


def test_it_lists_and_searches(context: ToolContext, spring: AlwaysSend) -> None:
    for number in range(60):
        pin(context.member.workspace, f"pin {number:02}")
    listed = read(context, "list_objects", kind="pin", orderBy="-object_key")
    assert (listed["total"], listed["objects"][0]["title"]) == (61, "spring")
    rest = read(context, "list_objects", kind="pin", orderBy="-object_key", offset=listed["nextOffset"])
    assert rest["objects"][0] not in listed["objects"]
    found = read(context, "list_objects", kind="pin", search="flow")
    assert [row["object"] for row in found["objects"]] == [f"pin:{spring.pk}"]
    (row,) = read(context, "search_objects", query="FLOWERS")["objects"]
    assert (row["object"], row["field"], row["text"]) == (f"pin:{spring.pk}", "part_key", "flowers")
    many = read(context, "search_objects", query="pin ")
    assert (len(many["objects"]), "(pin)" in many["note"]) == (10, True)
    assert read(context, "list_objects", kind="graph")["objects"][0]["object"].startswith("graph:")


def test_it_reads_what_was_changed_by_whoever(context: ToolContext, spring: AlwaysSend) -> None:
    name = f"pin:{spring.pk}"
    assert [each["through"] for each in read(context, "read_history", object=name)["versions"]] == ["import"]
    AlwaysSend.objects.filter(pk=spring.pk).update(part_key="trees")
    latest = read(context, "read_history", object=name)["versions"][0]
    assert latest["changes"] == [{"field": "part_key", "old": "flowers", "new": "trees"}]
    assert read(context, "read_history", object=name, field="object_key")["versions"] == []
    assert read(context, "read_history", object=name, since="2999-01-01")["versions"] == []


@pytest.mark.parametrize("role", Role)
def test_they_are_offered_about_a_graph_once_they_are_loaded(role: Role) -> None:
    def offered(context_type: str, *, loaded: bool = False) -> bool:
        return "read_object" in {spec.name for spec in specs(role, subject_of(context_type), loaded=loaded)}

    assert (offered("graph"), offered(""), offered("nodeType")) == (False, True, True)
    with pins():
        assert (offered("graph"), offered("graph", loaded=True)) == (False, True)


def test_only_editors_are_offered_what_changes_objects() -> None:
    names = {f"propose_{name}_object" for name in ("update", "create", "delete", "move")} | {"propose_batch"}

    def offered(role: Role, context_type: str) -> set[str]:
        return names & {spec.name for spec in specs(role, subject_of(context_type), loaded=True)}

    assert offered(Role.EDITOR, "") == offered(Role.ADMIN, "pin") == names
    assert offered(Role.VIEWER, "") == offered(Role.VIEWER, "pin") == set()
    assert offered(Role.EDITOR, "graph") == names
    assert offered(Role.VIEWER, "graph") == set()


def test_the_key_of_what_holds_it_is_told_only_as_its_parent(here: World) -> None:
    """So that who may not see the holder does not read it from a field."""
    shop = Shop.objects.create(workspace=here.alice.workspace, name="Corner")
    with shops():
        about = {"object": f"product:{product(shop).pk}"}
        context = ToolContext(here.alice, None)
        assert read(context, "read_object", **about)["parent"] == f"shop:{shop.pk}"
        assert "There is no field 'parent'" in read(context, "read_object", fields=["parent"], **about)["error"]
