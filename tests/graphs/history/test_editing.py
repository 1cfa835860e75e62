"""Edits by hand at the same moment: nobody makes an object in one that goes."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User

from graphs.history import editing
from graphs.history.editing import Request, create_object, edit
from graphs.models import Object, Workspace
from graphs.objects import actions
from graphs.objects.actions import ChangeRefused
from graphs.objects.headers import header_of
from graphs.objects.kinds import KINDS
from graphs.site.access import member_of
from tests.graphs.history.test_fast_updates import while_it_waits
from tests.registered import shops
from tests.shop.models import Product, Shop

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def shop(demo_workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[Object]:
    # It holds objects, too, but lets go of them before the edit begins.
    monkeypatch.setattr(editing, "catch_up", lambda _objects: None)
    with shops():
        row = Shop.objects.create(workspace=demo_workspace, name="Market")
        yield header_of(KINDS["shop"], demo_workspace.pk, row)


def make(who: User, shop: Object) -> None:
    asked = {"kind": "product", "parent": str(shop), "fields": {"name": "Lamp"}}
    create_object(member_of(who), KINDS["product"], Request([actions.parse("create_object", asked)]))


def delete(who: User, shop: Object) -> None:
    edit(member_of(who), shop, Request([actions.parse("delete_object", {"object": str(shop)})]))


def test_what_is_made_in_an_object_that_goes_meanwhile(alice: User, shop: Object) -> None:
    late = while_it_waits(lambda: delete(alice, shop), lambda: make(alice, shop))
    refusal = late.exception()
    assert isinstance(refusal, ChangeRefused), refusal
    assert "There is no" in str(refusal)
    assert not Product.objects.exists()


def test_an_object_in_which_something_is_made_meanwhile_stays(alice: User, shop: Object) -> None:
    late = while_it_waits(lambda: make(alice, shop), lambda: delete(alice, shop))
    refusal = late.exception()
    assert isinstance(refusal, ChangeRefused), refusal
    assert "is still used by" in str(refusal)
    assert Product.objects.get().shop.name == "Market"
