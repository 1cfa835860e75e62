"""Searches of lists: each row is looked through once, for so many words, in so much time, and others go on."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from chat.web import large_answers
from graphs.models import Graph, UseCase, Workspace
from graphs.objects.kinds import KINDS
from graphs.objects.word_search import MOST_WORDS, having_words, holding, words_of
from graphs.site import search_time
from tests.cast import signed_in
from tests.chat.inprocess import request, run
from tests.graphs.api.callers import problem, with_token
from tests.graphs.records.portfolio import Portfolio

#: Words that the last text of each row has.
MANY = [chr(0x4E00 + number) for number in range(100)]
LISTS = ("/companies/", "/folders/", "/use-cases/", "/")
DOORS = (
    "/api/v1/objects?type=usecase&words={}",
    "/api/v1/objects/usecase/export?format=json&words={}",
    "/api/v1/graphs?search={}",
)


def found(words: str) -> list[str]:
    rows = UseCase.objects.filter(having_words(KINDS["usecase"], words_of(words))).order_by("name")
    return list(rows.values_list("name", flat=True))


def test_each_word_is_looked_for_once(db: None) -> None:
    assert words_of(" slot  Slot\u2003SLOT plan\0ning ") == ["slot", "planning"]


def test_each_word_is_in_one_of_the_texts(portfolio: Portfolio) -> None:
    assert found("SLOT goods") == ["Slot planning"]
    assert found("slot nowhere") == found("planningOptimise") == found("ready") == []
    UseCase.objects.create(workspace=portfolio.workspace, data={"name": "100% of a_b \\ c"})
    assert found("0%") == found("a_b") == found("\\") == ["100% of a_b \\ c"]
    assert found("1%o") == found("a_f") == []


def test_words_are_found_in_lists_of_texts(portfolio: Portfolio) -> None:
    data = {
        "name": "Samples",
        "technologies": ["SAP", "LabWare"],
        "benefits": 'one text, no "list"',
        "risks": ['a"b', "c\\d"],
    }
    UseCase.objects.create(workspace=portfolio.workspace, data=data)
    for words in ("labware sap", "samples LabWare", '"list"', 'a"b', "c\\d", "é".upper()):
        assert found(words) == ([] if words == "É" else ["Samples"]), words
    assert found("SAPLabWare") == found("technologies") == []


def test_what_has_no_texts_has_no_words(demo_workspace: Workspace) -> None:
    assert not Workspace.objects.filter(holding([], ["a"])).exists()


def test_the_texts_of_a_row_are_read_once_however_many_words_there_are(portfolio: Portfolio, alice: User) -> None:
    """A hundred words in the last of seven texts were seven hundred looks at each row, of 1,000 rows 30 s."""
    client = signed_in(alice)
    with CaptureQueriesContext(
        connection,
    ) as statements:
        client.get(f"/use-cases/?search={'+'.join(MANY[:MOST_WORDS])}")
    looking = [each["sql"] for each in statements if MANY[0] in each["sql"]]
    assert len(looking) == 2
    assert [each.count("UPPER(CONCAT_WS(") for each in looking] == [1, 1]


@pytest.mark.parametrize("address", DOORS)
def test_the_api_refuses_more_words_than_are_looked_for(
    portfolio: Portfolio, nba: Graph, bob: User, address: str
) -> None:
    client = with_token(bob)
    refused = problem(client.get(address.format("+".join(MANY))), 400, "validation")
    assert list(refused["errors"].values()) == [["At most 8 words are looked for at once, and these are 100."]]
    assert client.get(address.format("+".join(MANY[:MOST_WORDS] * 5))).status_code == 200


@pytest.mark.parametrize("address", LISTS)
def test_a_page_looks_for_the_first_words_and_says_so(portfolio: Portfolio, bob: User, address: str) -> None:
    client, notice = signed_in(bob), "Only the first 8 words are looked for."
    page = client.get(f"{address}?search={'+'.join(MANY)}")
    assert page.status_code == 200
    assert notice in page.content.decode()
    assert MANY[MOST_WORDS] not in page.content.decode()
    assert notice not in client.get(f"{address}?search={'+'.join(MANY[:MOST_WORDS])}").content.decode()


@pytest.fixture
def much(demo_workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than can be looked through in a millisecond."""
    text = "lorem ipsum dolor " * 500
    UseCase.objects.bulk_create(
        UseCase(workspace=demo_workspace, data={"name": str(number), "problem": text, "solution": text})
        for number in range(300)
    )
    for number in range(100):
        Graph.objects.create(workspace=demo_workspace, key=f"g{number}", name=str(number), description=text)
    monkeypatch.setattr(search_time, "MOST_MS", 1)


@pytest.mark.parametrize("address", [*DOORS, "/api/v1/objects?type=usecase&search={}"])
def test_the_api_says_that_there_is_too_much_to_look_through(much: None, bob: User, address: str) -> None:
    client = with_token(bob)
    refused = problem(client.get(address.format("absent")), 400, "too_much_to_search")
    assert refused["detail"] == "There is too much to look through. Search for fewer or longer words, or in less."
    assert client.get("/api/v1/kinds").status_code == 200


@pytest.mark.parametrize("address", ["/use-cases/", "/"])
def test_a_page_says_that_there_is_too_much_to_look_through(much: None, bob: User, address: str) -> None:
    client = signed_in(bob)
    page = client.get(f"{address}?search=absent")
    assert page.status_code == 400
    assert "There is too much to look through." in page.content.decode()
    assert "Nothing found" not in page.content.decode()
    assert client.get(address).status_code == 200


def test_what_is_no_search_has_its_time(much: None, bob: User) -> None:
    assert with_token(bob).get("/api/v1/objects?type=usecase&limit=200").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_the_time_of_a_search_is_not_that_of_what_comes_after_it(demo_workspace: Workspace) -> None:
    def timeout() -> Any:
        with connection.cursor() as cursor:
            cursor.execute("SHOW statement_timeout")
            return cursor.fetchone()

    before = timeout()
    with search_time.bounded():
        assert timeout() == ("3s",)
    assert timeout() == before
    with search_time.bounded(is_search=False):
        assert timeout() == before


@pytest.mark.django_db(transaction=True)
def test_searches_on_pages_have_places_among_the_largest_answers(
    alice: User, bob: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """22 of a viewer took all connections of the process."""
    monkeypatch.setattr(large_answers, "WAIT_S", 0.1)
    monkeypatch.setattr(large_answers, "MOST_OF_ONE", 0)
    cookie = f"sessionid={signed_in(bob).cookies['sessionid'].value}"

    async def test() -> None:
        for path in LISTS:
            refused = await request("GET", f"{path}?search=nba", cookie=cookie)
            assert refused.status == 429, path
            assert refused.headers["content-type"].startswith("text/html")
            assert "style-src 'self'" in refused.headers["content-security-policy"]
            assert int(refused.headers["retry-after"]) > 0
            assert "Too many large answers at once" in refused.body.decode()
            assert (await request("GET", f"{path}?status=ready", cookie=cookie)).status == 200
            assert (await request("GET", f"{path}?search=nba")).status == 302

    run(test)
