"""A graph becomes no larger than a file that can be imported, through whatever door; what is there comes back."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from graphs.history.editing import Request, edit
from graphs.history.rollback import roll_back
from graphs.history.scopes import ChangeSets
from graphs.models import ChangeSet, Graph, Node
from graphs.objects import actions
from graphs.objects.actions import ChangeRefused
from graphs.site.access import member_of
from graphs.workflows import exports, imports, size
from graphs.workflows.interchange.formats import parse
from graphs.workflows.interchange.parsed_graph import Limits
from graphs.workflows.live import editing
from tests.cast import signed_in
from tests.graphs.api.callers import post_json, problem

pytestmark = pytest.mark.django_db
LIMIT = 100_000


@pytest.fixture(autouse=True)
def limited(settings: Any) -> None:
    settings.MAX_GRAPH_BYTES = LIMIT
    size._came.clear()


def to(text: str, key: str = "fetch-api") -> list[actions.Action]:
    return [actions.parse("update_node", {"nodeKey": key, "updates": {"data": {"note": text}}})]


def change(alice: User, nba: Graph, text: str, key: str = "fetch-api") -> Any:
    return edit(member_of(alice), nba, Request(to(text, key)))


def note(key: str = "fetch-api") -> int:
    return len(Node.objects.get(key=key, graph__workspace__slug="demo").data.get("note", ""))


def test_a_change_beyond_the_limit_is_refused_with_the_limit_and_one_within_is_made(alice: User, nba: Graph) -> None:
    change(alice, nba, "x" * (LIMIT * 9 // 10))
    before = ChangeSet.objects.count()
    body = {"action": "update_node", "arguments": {"nodeKey": "return", "updates": {"data": {"note": "y" * LIMIT}}}}
    told = problem(post_json(signed_in(alice), "/api/v1/graphs/nba/changes", {"actions": [body]}), 400, "refused")
    assert "larger than 0.1 MB." in told["detail"]
    assert (note("return"), ChangeSet.objects.count()) == (0, before)
    change(alice, nba, "x")
    change(alice, nba, "y" * (LIMIT * 8 // 10), "return")
    assert note("return") == LIMIT * 8 // 10


def test_the_limit_is_told_as_people_write_it(nba: Graph, settings: Any) -> None:
    for most, english, french in ((120_000, "0.12 MB", "0,12\u202fMo"), (20_000_000, "20 MB", "20\u202fMo")):
        settings.MAX_GRAPH_BYTES = most
        for language, told in (("en", english), ("fr", french)):
            with translation.override(language), pytest.raises(ChangeRefused, match=f" {told}\\."):
                _refuse(nba, most)


def _refuse(nba: Graph, most: int) -> None:
    Node.objects.filter(graph=nba, key="return").update(process="x" * most)
    size.refuse_growth(nba.pk, most, back=False)


def test_at_the_limit_nodes_are_moved_and_sized(alice: User, nba: Graph) -> None:
    Node.objects.filter(graph=nba, key="return").update(process="x" * LIMIT)
    size._came[nba.pk] = int(LIMIT * size.UNMEASURED)
    member = member_of(alice)
    nba.sheets.create(key="a-sheet-of-a-longer-name", name="Other", position=1)
    for number, far in enumerate((1, 123456.75, -7654321.25)):
        place: dict[str, Any] = {"nodeKey": "fetch-api", "posX": far, "posY": far}
        edit(member, nba, Request([actions.parse("move_node", place)]))
        moved = actions.parse("move_node", {**place, "posX": -far, "sheet": "a-sheet-of-a-longer-name"})
        editing.edit(member, nba.pk, Request([moved], key=f"live{number}"))
        sizes = {"nodeKey": "fetch-api", "updates": {"width": 100.5 + number, "height": 90.125}}
        edit(member, nba, Request([actions.parse("update_node", sizes)]))
    with pytest.raises(ChangeRefused):
        change(alice, nba, "one more word")


def test_what_comes_little_by_little_is_refused_in_the_end(alice: User, nba: Graph) -> None:
    def grow() -> None:
        for kilobytes in range(1, 2 * LIMIT // 1_000):
            change(alice, nba, "x" * 1_000 * kilobytes)

    with pytest.raises(ChangeRefused):
        grow()
    assert LIMIT * 0.9 < size.measured(nba.pk) < LIMIT * (1 + 2 * size.UNMEASURED)


def test_a_small_change_measures_nothing(alice: User, nba: Graph) -> None:
    with CaptureQueriesContext(connection) as statements:
        change(alice, nba, "x" * 100)
    assert not [each for each in statements if "octet_length(to_json" in each["sql"]]
    with CaptureQueriesContext(connection) as statements:
        change(alice, nba, "x" * 10_000)
    assert len([each for each in statements if "octet_length(to_json" in each["sql"]]) == 1


def test_a_live_edit_beyond_the_limit_is_refused(alice: User, nba: Graph) -> None:
    member = member_of(alice)
    with pytest.raises(ChangeRefused):
        editing.edit(member, nba.pk, Request(to("x" * LIMIT), key="one"))
    assert note() == 0
    editing.edit(member, nba.pk, Request(to("x" * (LIMIT // 2)), key="two"))
    assert note() == LIMIT // 2


def test_what_is_in_a_file_exists_and_grows_no_more(alice: User, nba: Graph) -> None:
    node = {"key": "a", "type": "starter", "sheet": "main", "name": "A", "process": "x" * LIMIT}
    file = exports.as_json({**exports.export_graph(nba), "key": "long", "nodes": [node], "edges": []})
    made = imports.import_graph(nba.workspace, parse(file.encode(), "native", Limits()), None, alice)
    assert made.graph.key == "long"
    again = imports.import_graph(
        nba.workspace, parse(file.replace('"x', '"yx').encode(), "native", Limits()), "long", alice, if_exists="replace"
    )
    assert again.replaced
    with pytest.raises(ChangeRefused):
        change(alice, made.graph, "x" * LIMIT, "a")


def test_what_was_there_comes_back(alice: User, nba: Graph) -> None:
    change(alice, nba, "x" * (LIMIT * 8 // 10))
    shrunk = change(alice, nba, "x")
    change(alice, nba, "y" * (LIMIT * 8 // 10), "return")
    roll_back(nba.workspace_id, alice, ChangeSets((shrunk,)))
    assert (note(), note("return")) == (LIMIT * 8 // 10, LIMIT * 8 // 10)
    deleted = edit(member_of(alice), nba, Request([actions.parse("delete_graph", {})]))
    roll_back(nba.workspace_id, alice, ChangeSets((deleted,)))
    assert note() == LIMIT * 8 // 10


def test_rollbacks_make_no_graph_larger_than_twice_the_limit(alice: User, nba: Graph) -> None:
    keys = list(Node.objects.filter(graph=nba).values_list("key", flat=True)[:3])
    undone = []
    for key in keys:
        change(alice, nba, "x" * (LIMIT * 8 // 10), key)
        undone.append(change(alice, nba, "x", key))
    for each in undone[:2]:
        roll_back(nba.workspace_id, alice, ChangeSets((each,)))
    with pytest.raises(ChangeRefused):
        roll_back(nba.workspace_id, alice, ChangeSets((undone[2],)))
    assert [note(key) for key in keys] == [LIMIT * 8 // 10, LIMIT * 8 // 10, 1]


def test_a_file_of_a_graph_is_no_larger_than_what_is_measured(alice: User, nba: Graph) -> None:
    change(alice, nba, 'é\n"\\\t' * 5_000)
    change(alice, nba, "🙂" * 5_000, "return")
    written = len(exports.as_json(exports.export_graph(nba)).encode())
    assert written * 0.7 < size.measured(nba.pk)
    assert written < size.measured(nba.pk) + 1_000
