"""Mentions of objects in answers: a link to what the reader may see, and else the text as it was written."""

import uuid
from collections.abc import Iterator

import pytest
from pytest_django.fixtures import DjangoAssertNumQueries

from chat.api.markdown import render
from chat.queries.links import Link, mentioned, shown_as
from graphs.objects.kinds import Kind
from graphs.objects.refs import Ref
from graphs.site.access import Member
from tests.chat.api.callers import post
from tests.registered import product, shops
from tests.seeded import CANARY, World, world
from tests.shop.models import Product, Shop

pytestmark = pytest.mark.django_db
HOSTILE = ["javascript:alert(1)", "//evil.example", "/\\evil.example", "data:text/html,x", " javascript:x", "/a b", ""]


@pytest.fixture
def here() -> World:
    return world()


@pytest.fixture
def kind(here: World) -> Iterator[Kind]:
    with shops(url=lambda row: row.notes) as kind:
        yield kind


def sold(member: Member, name: str = "Fetch API", url: str = "/products/1/") -> Product:
    return product(Shop.objects.create(workspace=member.workspace, name="Spring"), name, notes=url)


def ref(row: Product) -> Ref:
    return Ref("product", str(row.pk))


def test_what_the_reader_may_see_becomes_a_link(here: World, kind: Kind) -> None:
    api = ref(sold(here.alice))
    text = f"See {{{{graph:nba}}}} and {{{{{api}}}}}, {{{{node:root}}}}, `{{{{graph:nba}}}}`."
    refs = mentioned([text])
    assert refs == [Ref("graph", "nba"), api]
    links = shown_as(here.alice, refs)
    assert links == {refs[0]: Link("NBA statistics", "/graphs/nba/"), api: Link("Fetch API", "/products/1/")}
    shown = render(text, links)
    assert 'href="/graphs/nba/"' in shown
    assert ">Fetch API</a>" in shown
    assert "{{node:root}}" in shown
    assert "<code>{{graph:nba}}</code>" in shown


def test_foreign_ones_stay_as_absent_ones(here: World, kind: Kind) -> None:
    foreign = ref(sold(here.charlie, CANARY))
    absent = Ref("product", str(uuid.uuid4()))
    wrong = [Ref("product", "1"), Ref("shop", "9" * 30), Ref("nothing", "x"), Ref("graph", "orders/..")]
    assert shown_as(here.alice, [foreign, absent, *wrong]) == {}
    assert foreign in shown_as(here.charlie, [foreign])
    answers = [
        post(here.alice.user, "chat/links", {"objects": [str(each)]}).json() for each in (foreign, absent, *wrong)
    ]
    assert answers == [{"results": []}] * 6


def test_who_may_not_see_a_row_gets_no_link(here: World) -> None:
    with shops(url=lambda row: "/products/", may_see=lambda _member, row: row.name == "Open"):
        seen, hidden = sold(here.alice, "Open"), sold(here.alice, "Hidden")
        assert shown_as(here.alice, [ref(seen), ref(hidden)]).keys() == {ref(seen)}


@pytest.mark.parametrize("url", HOSTILE)
def test_an_address_from_a_row_leads_to_a_page_or_nowhere(here: World, kind: Kind, url: str) -> None:
    api = ref(sold(here.alice, url=url))
    links = shown_as(here.alice, [api])
    assert links == {api: Link("Fetch API", "")}
    assert render(f"{{{{{api}}}}}", links) == "<p>Fetch API</p>\n"


def test_what_has_no_page_is_its_title(here: World) -> None:
    with shops():
        api, hidden = ref(sold(here.alice, "<b>Fetch</b> [a](http://b)")), ref(sold(here.charlie, CANARY))
        shown = render(f"{{{{{api}}}}}, {{{{{hidden}}}}}", shown_as(here.alice, [api, hidden]))
    assert shown == f"<p>&lt;b&gt;Fetch&lt;/b&gt; [a](http://b), {{{{{hidden}}}}}</p>\n"


@pytest.mark.parametrize("title", ["www.example.com", "somebody@example.com"])
def test_a_title_that_reads_like_an_address_becomes_no_link(here: World, title: str) -> None:
    with shops():
        api = ref(sold(here.alice, title))
        shown = render(f"See {{{{{api}}}}} and https://fine.example", shown_as(here.alice, [api]))
    assert (shown.count("<a "), title in shown) == (1, True)


def test_a_title_is_text(here: World, kind: Kind) -> None:
    api = ref(sold(here.alice, "<img src=x onerror=alert(1)> [a](http://b)", '/x"onclick="alert(1)'))
    shown = render(f"{{{{{api}}}}}", shown_as(here.alice, [api]))
    assert "<img" not in shown
    assert shown.count("<a ") == 1
    assert ' onclick="' not in shown


def test_there_is_no_link_within_a_link(here: World) -> None:
    refs = [Ref("graph", "nba")]
    assert render("[{{graph:nba}}](http://b.example)", shown_as(here.alice, refs)).count("<a ") == 1


def test_many_are_asked_for_at_once(here: World, kind: Kind, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    rows = [ref(sold(here.alice, f"Product {n}")) for n in range(20)]
    with django_assert_num_queries(2):
        found = shown_as(here.alice, [*rows, Ref("graph", "nba"), Ref("graph", here.orders.key)])
    assert len(found) == 22


def test_the_door_names_what_it_found(here: World) -> None:
    answer = post(here.alice.user, "chat/links", {"objects": ["graph:nba"]}).json()
    expected = {"object": {"type": "graph", "id": "nba"}, "title": "NBA statistics", "url": "/graphs/nba/"}
    assert answer == {"results": [expected]}
    assert post(here.alice.user, "chat/links", {"objects": ["graph:nba"] * 101}).status_code == 400
