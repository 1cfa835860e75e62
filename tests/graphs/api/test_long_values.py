"""Change sets with many long values: answers count all and show beginnings; one is whole by its modification's id."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from graphs.history import bounded_diffs, changes, code_diff
from graphs.history.bounded_diffs import LINE_WEIGHT, MOST, MOST_TOLD
from graphs.history.recording import Applied
from graphs.models import Graph
from graphs.objects.operations import Create, Update
from graphs.objects.refs import Ref
from tests.cast import signed_in
from tests.graphs.admin.staff import superuser
from tests.graphs.api.callers import post_json, with_token
from tests.graphs.history.test_rollback import FETCH, RETURN, by, record

pytestmark = pytest.mark.django_db
NODES, LINES = 40, 5_000
CODE = "\n".join(f"line {number}" for number in range(LINES))
HISTORY = "/api/v1/history"


@pytest.fixture
def made(nba: Graph, alice: User) -> Applied:
    """Many nodes with long code."""
    whole = record(nba, RETURN) | {"process": CODE}
    return changes.apply(nba, [Create(Ref("node", f"n{n}"), whole) for n in range(NODES)], by(alice))


class Compared:
    """Counts what is compared, as it weighs."""

    weight = 0


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> Compared:
    found, lines = Compared(), code_diff.lines

    def counted(old: str, new: str, *more: Any) -> list[code_diff.Line]:
        found.weight += sum(len(text) + LINE_WEIGHT * text.count("\n") for text in (old, new))
        return lines(old, new, *more)

    monkeypatch.setattr(code_diff, "lines", counted)
    return found


def preview(client: Client, made: Applied, **more: Any) -> Any:
    response = post_json(client, f"{HISTORY}/{made.change_set_id}/rollback", {"preview": True, **more})
    assert response.status_code == 200
    return response


def codes(answer: Any) -> list[Any]:
    return [field for entry in answer["diff"] for field in entry["fields"] if field["field"] == "process"]


def test_a_preview_compares_no_more_than_it_shows(made: Applied, alice: User, compared: Compared) -> None:
    response = preview(signed_in(alice), made)
    answer = response.json()
    assert (answer["total"], len(answer["diff"])) == (NODES, NODES)
    assert compared.weight < 1.1 * MOST
    assert len(response.content) < 1.2 * MOST
    cut = [field for field in codes(answer) if field.get("cut")]
    assert 0 < len(cut) < NODES
    assert all((field["removed"], len(field["lines"])) == (LINES, 5) for field in cut)
    whole = [field for field in codes(answer) if not field.get("cut")]
    assert [len(field["lines"]) for field in whole] == [LINES] * len(whole)


def test_a_preview_of_many_entries_compares_the_first(
    made: Applied, alice: User, compared: Compared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphs.api.rollback_json.MOST_ENTRIES", 2)
    answer = preview(signed_in(alice), made).json()
    assert (answer["total"], len(answer["diff"])) == (NODES, 2)
    assert compared.weight < 3 * (len(CODE) + LINE_WEIGHT * LINES)


def test_the_page_of_a_rollback_compares_no_more_than_it_shows(made: Applied, compared: Compared) -> None:
    page = superuser().get(reverse("admin:graphs_changeset_rollback", args=[made.change_set_id]))
    assert page.status_code == 200
    assert compared.weight < 2.2 * MOST
    assert f"{LINES - 5:,} lines" in page.content.decode()


def test_a_page_of_modifications_is_bounded_and_each_is_whole_by_its_id(
    made: Applied, bob: User, compared: Compared
) -> None:
    client = signed_in(bob)
    response = client.get(f"{HISTORY}/{made.change_set_id}", {"limit": 200})
    answer = response.json()
    assert compared.weight < 1.1 * MOST
    assert len(response.content) < 2.5 * MOST
    last = answer["modifications"][-1]
    assert (last["cut"], last["new"], last["object"]["id"]) == (True, None, f"n{NODES - 1}")
    assert "cut" not in answer["modifications"][0]
    assert answer["modificationCount"] == len(answer["modifications"]) == NODES

    alone = client.get(f"{HISTORY}/{made.change_set_id}", {"modification": last["id"]}).json()
    assert [each["new"]["process"] for each in alone["modifications"]] == [CODE]
    assert [len(field["lines"]) for field in codes(alone)] == [LINES]


def test_a_modification_is_found_in_its_change_set_only(made: Applied, nba: Graph, alice: User, charlie: User) -> None:
    other = changes.apply(nba, [Update(Ref("node", "n0"), {"process": CODE}, {"process": ""})], by(alice))
    (own,) = signed_in(alice).get(f"{HISTORY}/{other.change_set_id}").json()["modifications"]
    address = f"{HISTORY}/{made.change_set_id}"
    assert signed_in(alice).get(address, {"modification": own["id"]}).json()["modifications"] == []
    assert signed_in(alice).get(address, {"modification": "x"}).status_code == 400
    assert signed_in(charlie).get(address, {"modification": own["id"]}).status_code == 404


def test_one_long_field_is_told_by_its_beginning_to_who_changed_it(nba: Graph, alice: User, bob: User) -> None:
    long = "x" * 900_000
    action = {"action": "update_node", "arguments": {"nodeKey": "fetch-api", "updates": {"data": {"text": long}}}}
    answer: Any = post_json(with_token(alice), "/api/v1/graphs/nba/changes", {"actions": [action]})
    assert answer.status_code == 201
    assert len(answer.content) < MOST_TOLD
    (told,) = answer.json()["modifications"]
    assert told["cut"] is True
    address = f"{HISTORY}/{answer.json()['id']}"
    (whole,) = signed_in(bob).get(address, {"modification": told["id"]}).json()["modifications"]
    assert whole["new"]["text"] == long


def test_what_is_changed_to_something_else_shows_both_beginnings(nba: Graph, alice: User, bob: User) -> None:
    data, old = {"list": list(range(100_000))}, record(nba, FETCH)["data"]
    done = changes.apply(
        nba,
        [
            Update(
                FETCH,
                {"process": "return fetch(url)", "data": old},
                {"process": "y" * MOST, "data": data},
            )
        ],
        by(alice),
    )
    (process, shown) = signed_in(bob).get(f"{HISTORY}/{done.change_set_id}").json()["diff"][0]["fields"]
    assert (process["old"], process["cut"], len(process["new"])) == ("return fetch(url)", True, 101)
    assert (shown["old"][:1], shown["cut"], shown["new"][:10]) == ("{", True, '{"list": [')
    assert "lines" not in process
    assert "lines" not in shown


def test_of_a_long_text_the_first_line_is_shown_that_changed(nba: Graph, alice: User, bob: User) -> None:
    lines = ["z" * 70] * 40_000
    changed = "\n".join([*lines[:30_000], "here", *lines[30_001:]])
    changes.apply(nba, [Update(FETCH, {"process": "return fetch(url)"}, {"process": "\n".join(lines)})], by(alice))
    done = changes.apply(nba, [Update(FETCH, {"process": "\n".join(lines)}, {"process": changed})], by(alice))
    ((shown,),) = [entry["fields"] for entry in signed_in(bob).get(f"{HISTORY}/{done.change_set_id}").json()["diff"]]
    assert (shown["cut"], shown["old"][:9], shown["new"][:7]) == (True, "…zzzzzzzz", "…here\nz")


@pytest.mark.parametrize("value", ["a\nb", {"a": [1, {"b": "c"}]}, [], 1.5, None, True])
def test_what_is_measured_stops_where_it_is_too_heavy(value: Any) -> None:
    weight = bounded_diffs.weigh(value, 10_000)
    assert weight >= (0 if value is None else len(str(value)) - 2)
    assert bounded_diffs.weigh([0] * 1_000_000, 100) < 200
