import base64
import json
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User

from graphs.models import Graph, Workspace
from graphs.site.api.paging import page_of
from tests.cast import save_all
from tests.graphs.api.callers import problem, with_token

GRAPHS = "/api/v1/graphs"


@pytest.fixture
def many(demo_workspace: Workspace) -> list[str]:
    """Keys of eleven graphs in the order of the list; most have the same name."""
    names = ["A", *["Same"] * 9, "Z"]
    save_all(Graph(workspace=demo_workspace, key=f"g{i:02}", name=name) for i, name in enumerate(names))
    return [f"g{i:02}" for i in range(11)]


def cursor_of(link: str) -> str:
    return parse_qs(urlsplit(link).query)["cursor"][0]


def test_it_goes_through_all_rows_and_back(alice: User, many: list[str]) -> None:
    client = with_token(alice)
    pages, link = [], f"{GRAPHS}?limit=4"
    while link:
        page = client.get(link).json()
        pages.append(page)
        link = page["next"]
    assert [[row["key"] for row in page["results"]] for page in pages] == [many[:4], many[4:8], many[8:]]
    assert pages[0]["previous"] is None
    back = client.get(pages[2]["previous"]).json()
    assert [row["key"] for row in back["results"]] == many[4:8]
    start = client.get(back["previous"]).json()
    assert ([row["key"] for row in start["results"]], start["previous"]) == (many[:4], None)


def test_its_links_keep_the_rest_of_the_address(alice: User, many: list[str]) -> None:
    link = with_token(alice).get(f"{GRAPHS}?limit=2&search=same&workspace=demo").json()["next"]
    query = parse_qs(urlsplit(link).query)
    assert (query["limit"], query["search"], query["workspace"]) == (["2"], ["same"], ["demo"])


def test_rows_that_come_meanwhile_double_and_hide_nothing(alice: User, many: list[str]) -> None:
    client = with_token(alice)
    first = client.get(f"{GRAPHS}?limit=4").json()
    Graph.objects.create(workspace=alice.memberships.get().workspace, key="new", name="Aaa")
    Graph.objects.filter(key=many[1]).delete()
    second = client.get(first["next"]).json()
    assert [row["key"] for row in second["results"]] == many[4:8]


def test_it_pages_downwards_too(demo_workspace: Workspace, many: list[str]) -> None:
    rows, ordering = Graph.objects.all(), ("-created_at", "-id")
    first = page_of(rows, ordering, None, 6)
    second = page_of(rows, ordering, first.next, 6)
    assert [row.key for row in [*first.rows, *second.rows]] == many[::-1]
    assert (second.next, first.previous) == (None, None)
    assert page_of(rows, ordering, second.previous, 6).rows == first.rows


def encoded(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()


@pytest.mark.parametrize(
    "cursor",
    [
        "x",
        "é",
        "\0",
        encoded({}),
        encoded([]),
        encoded(["after"]),
        encoded(["after", "a", "b"]),
        encoded(["sideways", "a", 1]),
        encoded(["after", "a\0", 1]),
        encoded(["after", "a", 1, 2]),
        encoded([["after"], "a", 1]),
    ],
)
def test_it_refuses_what_is_no_cursor(alice: User, many: list[str], cursor: str) -> None:
    problem(with_token(alice).get(GRAPHS, {"cursor": cursor}), 400, "bad_cursor")


def test_a_cursor_beyond_everything_finds_nothing(alice: User, many: list[str]) -> None:
    answer = with_token(alice).get(GRAPHS, {"cursor": encoded(["after", "zzz", 10**30])})
    assert answer.json() == {"results": [], "next": None, "previous": None}


@pytest.mark.parametrize("limit", ["0", "-1", "201", "x", "", "1e2", "９", "9" * 5000])
def test_it_refuses_what_is_no_limit(alice: User, limit: str) -> None:
    assert "limit" in problem(with_token(alice).get(GRAPHS, {"limit": limit}), 400, "validation")["errors"]


def test_an_empty_cursor_is_none(alice: User, many: list[str]) -> None:
    assert with_token(alice).get(f"{GRAPHS}?cursor=&limit=1").json()["previous"] is None
