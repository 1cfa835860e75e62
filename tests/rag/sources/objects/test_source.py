"""What a question about an object comes with: its record, and other objects that may have to do with it."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from graphs.models import Workspace
from graphs.objects.headers import object_for
from graphs.objects.kinds import KINDS
from graphs.objects.refs import Ref
from graphs.site.access import Member, member_of
from graphs.site.accounts import Account
from rag.sources.block import Block
from rag.sources.objects.elsewhere import related
from rag.sources.objects.family import Holder
from rag.sources.objects.search import BY_VECTOR, RELATED, nearest_objects
from rag.sources.registered_sources import source_of
from tests.rag.embeddings.steps import work
from tests.registered import product, shops
from tests.shop.models import Product, Shop

pytestmark = pytest.mark.django_db(transaction=True)

WEATHER = "What do we have as protection against wet weather?"


@pytest.fixture
def hammer(shop: Shop) -> Product:
    return product(shop, "Hammer", notes="Drives nails into wood")


def block(about: Product, user: User, question: str = WEATHER) -> Block:
    member = member_of(user)
    header = object_for(member, Ref("product", str(about.pk)))
    return source_of("product").retrieve(member, header, question, Account(member.workspace.pk))


def test_objects_that_the_question_is_about_are_named_beside_the_record(hammer: Product, alice: User) -> None:
    umbrella = product(hammer.shop, "Umbrella", notes="Keeps the rain off")
    before = block(hammer, alice)
    assert "Drives nails" in before.body
    assert "Umbrella" not in before.body
    work()
    after = block(hammer, alice)
    assert f"product:{umbrella.pk}" in after.body
    assert "Related:" in after.heading
    assert "related" not in block(umbrella, alice).body


def test_nobody_is_told_of_what_they_may_not_see(
    demo_workspace: Workspace, other_workspace: Workspace, alice: User
) -> None:
    with shops(may_see=lambda _member, row: row.name != "Umbrella"):
        shop = Shop.objects.create(workspace=demo_workspace, name="Corner shop")
        hammer = product(shop, "Hammer", notes="Drives nails into wood")
        product(shop, "Umbrella", notes="Keeps the rain off")
        product(Shop.objects.create(workspace=other_workspace, name="Other"), "Parasol", notes="Keeps the rain off")
        work()
        assert "related" not in block(hammer, alice).body


def test_of_the_nearest_only_those_are_read_that_may_be_told(demo_workspace: Workspace, alice: User) -> None:
    asked: list[str] = []

    def may_see(_member: Member, row: Product) -> bool:
        asked.append(row.name)
        return True

    with shops(may_see=may_see):
        shop = Shop.objects.create(workspace=demo_workspace, name="Corner shop")
        for number in range(4 * BY_VECTOR):
            product(shop, f"Umbrella {number}", notes="Keeps the rain off")
        work()
        asked.clear()
        member = member_of(alice)
        nearest = nearest_objects(member, WEATHER, Account(demo_workspace.pk))
        assert len(related(member, WEATHER, nearest, Holder(KINDS["shop"], shop), [])) == RELATED
        assert len(asked) == BY_VECTOR


def test_it_costs_few_queries_however_many_objects_there_are(hammer: Product, alice: User) -> None:
    work()
    with CaptureQueriesContext(connection) as few:
        block(hammer, alice)
    for number in range(20):
        product(hammer.shop, f"Umbrella {number}", notes="Keeps the rain off")
    work()
    with CaptureQueriesContext(connection) as many:
        block(hammer, alice)
    assert len(many) <= len(few) + 2
