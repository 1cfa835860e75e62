"""Objects are found by words and by vectors, and only by those who may see them."""

from collections.abc import Sequence

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from graphs.models import Graph, Workspace
from graphs.objects.kinds import KINDS, Kind, of_objects
from graphs.site.access import Member, member_of
from graphs.site.accounts import Account
from rag.sources.objects.search import BY_VECTOR, BY_WORDS, find
from tests.rag.embeddings.steps import work
from tests.registered import product, shops
from tests.shop.models import Shop

pytestmark = pytest.mark.django_db(transaction=True)

WEATHER = "protection against wet weather"


@pytest.fixture
def member(alice: User) -> Member:
    return member_of(alice)


@pytest.fixture
def stocked(shop: Shop) -> Shop:
    product(shop, "Umbrella", notes="Keeps the rain off")
    product(shop, "Hammer", notes="Drives nails into wood")
    return shop


def found(member: Member, question: str, kinds: Sequence[Kind] | None = None) -> list[str]:
    """The titles of what is found, best first."""
    hits = find(member, kinds or of_objects(), question, Account(member.workspace.pk)).objects
    return [kind.name_of({kind.title: row.name}) for kind, row in hits]


def more(member: Member, question: str) -> list[str]:
    """The kinds of which there are more."""
    return find(member, of_objects(), question, Account(member.workspace.pk)).more


def test_a_row_is_found_by_a_text_that_shares_no_word_with_it(member: Member, stocked: Shop) -> None:
    assert found(member, WEATHER) == []
    work()
    assert found(member, WEATHER) == ["Umbrella"]


def test_without_a_model_words_find(member: Member, stocked: Shop, settings: Settings) -> None:
    work()
    settings.EMBEDDING_PROVIDER = "none"
    assert found(member, WEATHER) == []
    assert found(member, "nails for the umbrella") == ["Umbrella", "Hammer"]


def test_one_word_is_looked_for_in_its_forms_as_well(member: Member, stocked: Shop) -> None:
    assert found(member, "umbrellas") == found(member, "the umbrellas") == ["Umbrella"]


def test_what_has_words_and_a_vector_comes_before_what_has_one_of_them(member: Member, stocked: Shop) -> None:
    product(stocked, "Weather house", notes="Wood, hand carved")
    work()
    assert found(member, f"{WEATHER}, rain") == ["Umbrella", "Weather house"]


def test_a_graph_is_found_by_its_name_and_description(member: Member, stocked: Shop, nba: Graph) -> None:
    Graph.objects.filter(pk=nba.pk).update(description="Nightly umbrella report")
    assert set(found(member, "umbrella")) == {"Umbrella", nba.name}
    assert found(member, "umbrella", [KINDS["graph"]]) == [nba.name]


def test_only_these_kinds_are_found(member: Member, stocked: Shop) -> None:
    work()
    assert found(member, WEATHER, [KINDS["shop"]]) == []
    assert found(member, WEATHER, [KINDS["product"]]) == ["Umbrella"]


def test_words_find_so_many_of_a_kind_and_say_of_which_there_are_more(member: Member, stocked: Shop) -> None:
    for number in range(BY_WORDS - 1):
        product(stocked, f"Umbrella {number}")
    assert (len(found(member, "umbrella")), more(member, "umbrella")) == (BY_WORDS, [])
    product(stocked, "One more umbrella")
    assert (len(found(member, "umbrella")), more(member, "umbrella")) == (BY_WORDS, ["product"])


def test_vectors_find_so_many_of_all_kinds(member: Member, stocked: Shop) -> None:
    for number in range(BY_VECTOR + 2):
        product(stocked, f"Parasol {number}", notes="Keeps the rain off")
    work()
    assert (len(found(member, WEATHER)), more(member, WEATHER)) == (BY_VECTOR, [])


def test_other_workspaces_are_as_if_they_were_empty(
    member: Member, stocked: Shop, other_workspace: Workspace, charlie: User
) -> None:
    work()
    foreign = member_of(charlie)
    assert foreign.workspace == other_workspace
    assert found(foreign, WEATHER) == found(foreign, "umbrella") == []


def test_who_may_not_see_a_row_does_not_find_it(member: Member, demo_workspace: Workspace) -> None:
    with shops(may_see=lambda _member, row: row.name != "Umbrella"):
        shop = Shop.objects.create(workspace=demo_workspace, name="Corner shop")
        product(shop, "Umbrella", notes="Keeps the rain off")
        work()
        assert found(member, WEATHER) == found(member, "umbrella") == []


def test_what_somebody_may_not_see_is_not_counted(member: Member, demo_workspace: Workspace) -> None:
    """Nor does it take the place of what they may see."""
    with shops(may_see=lambda _member, row: "hidden" not in row.name):
        shop = Shop.objects.create(workspace=demo_workspace, name="Corner shop")
        for number in range(BY_WORDS):
            product(shop, f"A hidden umbrella {number}", notes="An umbrella")
        for number in range(BY_WORDS):
            product(shop, f"Umbrella {number}")
        assert (len(found(member, "umbrella")), more(member, "umbrella")) == (BY_WORDS, [])


def test_of_the_nearest_only_the_first_count_though_more_are_looked_at(
    member: Member, demo_workspace: Workspace
) -> None:
    with shops(may_see=lambda _member, row: True):
        shop = Shop.objects.create(workspace=demo_workspace, name="Corner shop")
        for _ in range(BY_WORDS + BY_VECTOR + 5):
            product(shop, "Umbrella")
        work()
        assert len(found(member, "umbrella")) <= BY_WORDS + BY_VECTOR


def test_what_somebody_may_not_see_takes_no_place_among_the_nearest(member: Member, demo_workspace: Workspace) -> None:
    with shops(may_see=lambda _member, row: "hidden" not in row.notes):
        shop = Shop.objects.create(workspace=demo_workspace, name="Corner shop")
        for number in range(BY_VECTOR + 5):
            product(shop, "Protection against wet weather", notes=f"hidden {number}")
        product(shop, "Umbrella", notes="Keeps the rain off")
        work()
        assert found(member, WEATHER) == ["Umbrella"]
