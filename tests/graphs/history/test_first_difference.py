"""graphs/history/first_difference.py: what is shown of two long values is never the same on both sides."""

from itertools import pairwise
from typing import Any

import pytest
from django.contrib.auth.models import User

from graphs.history import changes
from graphs.history.bounded_diffs import Room, beginnings, bounded
from graphs.history.brief_diffs import brief
from graphs.history.diffs import diff_of
from graphs.history.first_difference import LEAD, TEXT_CHARS, clipped_both, clipped_lines, from_difference
from graphs.models import Graph
from graphs.objects.operations import Update
from tests.cast import signed_in
from tests.graphs.history.test_rollback import FETCH, by, record
from tests.proposed import waiting

LONG = "word " * 100_000


def deep(**last: Any) -> dict[str, Any]:
    """A long JSON value that ends in these."""
    return {"a": {"list": list(range(2_000)), "text": "x" * 3_000}, "z": {"steps": [{"name": "one"}, last]}}


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        (deep(name="two"), deep(name="three"), ('…z.steps[1].name: "two"', '…z.steps[1].name: "three"')),
        (deep(name=1), deep(name=True), ("…z.steps[1].name: 1", "…z.steps[1].name: true")),
        (deep(name="two"), deep(), ('…z.steps[1].name: "two"', "…z.steps[1].name: —")),
        (deep(name=[]), deep(name=[5]), ("…z.steps[1].name[0]: —", "…z.steps[1].name[0]: 5")),
        (deep(), {**deep(), "zz": None}, ("…zz: —", "…zz: null")),
        (
            {"first": 1, "text": LONG + "old"},
            {"first": 1, "text": LONG + "new"},
            (f'…text: "…{(LONG + "old")[-LEAD - 3 :]}"', f'…text: "…{(LONG + "new")[-LEAD - 3 :]}"'),
        ),
        (LONG + "old", LONG + "new", (f"…{LONG[-LEAD:]}old", f"…{LONG[-LEAD:]}new")),
        (LONG, LONG + "!", (f"…{LONG[-LEAD:]}", f"…{LONG[-LEAD:]}!")),
    ],
)
def test_what_is_alike_for_long_is_shown_from_where_it_differs(old: Any, new: Any, shown: tuple[str, str]) -> None:
    assert clipped_both(old, new) == shown
    assert clipped_both(new, old) == shown[::-1]


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("a", "b", ("a", "b")),
        ({"a": 1}, {"a": 2}, ({"a": 1}, {"a": 2})),
        (None, LONG, (None, LONG[:TEXT_CHARS] + "…")),
        (LONG, None, (LONG[:TEXT_CHARS] + "…", None)),
        (LONG, LONG, (LONG[:TEXT_CHARS] + "…",) * 2),
        ("old " + LONG, "new " + LONG, (("old " + LONG)[:TEXT_CHARS] + "…", ("new " + LONG)[:TEXT_CHARS] + "…")),
        ([LONG], 5, ('["' + LONG[: TEXT_CHARS - 2] + "…", 5)),
    ],
)
def test_what_is_short_or_differs_at_once_begins_at_its_beginning(old: Any, new: Any, shown: tuple[Any, Any]) -> None:
    assert clipped_both(old, new) == shown


def test_keys_that_lead_far_down_are_shown_by_their_end() -> None:
    old, new = ("x", "y")
    for depth in range(60):
        old, new = {f"key{depth}": old, "a": LONG}, {f"key{depth}": new, "a": LONG}  # type: ignore[assignment]
    shown = from_difference(old, new)
    assert [each[-14:] for each in shown] == ['.key1.key0: "x"'[-14:], '.key1.key0: "y"'[-14:]]
    assert max(map(len, shown)) < TEXT_CHARS


def test_of_lines_that_replace_each_other_the_difference_is_shown() -> None:
    diff = diff_of([Update(FETCH, {"process": f"a\n{LONG}old\nb"}, {"process": f"a\n{LONG}new\nb"})])
    lines = brief(diff)[0]["fields"][0]["lines"]
    assert lines is not None
    assert [line["text"][-4:] for line in lines] == ["a", " old", " new", "b"]
    assert max(len(line["text"]) for line in lines) <= TEXT_CHARS + 2
    only_new = clipped_lines([{"op": "+", "new": 1, "text": LONG}])
    assert [line["text"] for line in only_new] == [LONG[:TEXT_CHARS] + "…"]


def shown_of(fields: Any) -> tuple[str, str]:
    ((found,),) = (entry["fields"] for entry in fields)
    assert found["cut"] is True
    return found["old"], found["new"]


def test_a_bounded_diff_of_long_json_shows_what_differs() -> None:
    change = Update(FETCH, {"data": deep(name="two")}, {"data": deep(name="three")})
    assert shown_of(bounded([change], Room(500), diff_of)) == ('…z.steps[1].name: "two"', '…z.steps[1].name: "three"')
    line = Update(FETCH, {"process": LONG + "old"}, {"process": LONG + "new"})
    assert [text[-3:] for text in shown_of(bounded([line], Room(500), diff_of))] == ["old", "new"]


def test_both_sides_of_what_came_and_of_what_is_the_same_begin_at_the_beginning() -> None:
    assert beginnings(None, deep()) == (None, beginnings(deep(), None)[0])
    same = beginnings(deep(), deep())
    assert same[0] == same[1]
    assert same[0].startswith('{"a"')


def long_data(graph: Graph, **last: Any) -> dict[str, Any]:
    return record(graph, FETCH)["data"] | {"long": ["x" * 50] * 15_000, "zlast": {"last": last}}


@pytest.mark.django_db
def test_versions_and_what_is_in_the_way_show_what_differs(
    nba: Graph, alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphs.api.history.Room", lambda: Room(500))
    monkeypatch.setattr("graphs.api.rollback_json.Room", lambda: Room(500))
    olds = [record(nba, FETCH)["data"], long_data(nba, name="one"), long_data(nba, name="two")]
    for old, new in pairwise(olds):
        done = changes.apply(nba, [Update(FETCH, {"data": old}, {"data": new})], by(alice))
    client = signed_in(bob)
    compared = client.get("/api/v1/history/versions", {"object": "graph:nba", "a": 2}).json()["diff"]
    (data,) = (field for entry in compared for field in entry["fields"] if field["field"] == "data")
    assert (data["old"], data["new"]) == ('…zlast.last.name: "one"', '…zlast.last.name: "two"')
    changes.apply(nba, [Update(FETCH, {"data": olds[2]}, {"data": long_data(nba, name="three")})], by(None))
    clashing = signed_in(alice).post(f"/api/v1/history/{done.change_set_id}/rollback", {}, "application/json").json()
    (conflict,) = clashing["conflicts"]
    assert (conflict["cut"], conflict["expected"], conflict["found"]) == (
        True,
        '…zlast.last.name: "two"',
        '…zlast.last.name: "three"',
    )


@pytest.mark.django_db
def test_proposals_and_their_conflicts_show_what_differs(nba: Graph, alice: User) -> None:
    old = long_data(nba, name="one")
    changes.apply(nba, [Update(FETCH, {"data": record(nba, FETCH)["data"]}, {"data": old})], by(alice))
    patch = {"nodeKey": FETCH.key, "updates": {"data": {"zlast": {"last": {"name": "two"}}}}}
    (proposal,) = waiting(alice, nba, ("update_node", patch))
    (field,) = proposal.brief["diff"][0]["fields"]
    texts = [line["text"].strip() for line in field["lines"] if line["op"] != " "]
    assert texts == ['"name": "one"', '"name": "two"']
    changes.apply(nba, [Update(FETCH, {"data": old}, {"data": long_data(nba, name="three")})], by(None))
    answer = signed_in(alice).post(f"/api/v1/proposals/{proposal.pk}/decide", {"approved": True}, "application/json")
    (conflict,) = answer.json()["proposal"]["conflicts"]
    assert (conflict["expected"], conflict["found"]) == ('…zlast.last.name: "one"', '…zlast.last.name: "three"')
