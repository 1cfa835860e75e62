"""What pages consist of, for models that the program does not know."""

import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.template.loader import render_to_string
from django.utils import translation

from graphs.models import Workspace
from graphs.objects.headers import header_of
from graphs.objects.kinds import KINDS, Kind
from graphs.page_parts import ObjectPage, page_of, register_look
from graphs.page_parts.looks import _LOOKS, Look
from graphs.site.access import member_of
from tests.registered import product, shops
from tests.shop.models import Shop

pytestmark = pytest.mark.django_db


@pytest.fixture
def kind() -> Iterator[Kind]:
    with shops() as registered:
        yield registered


@pytest.fixture
def shop(kind: Kind, demo_workspace: Workspace) -> Shop:
    return Shop.objects.create(workspace=demo_workspace, name="Corner")


def page(person: User, row: Any) -> ObjectPage:
    kind = KINDS["shop" if isinstance(row, Shop) else "product"]
    member = member_of(person)
    return page_of(member, header_of(kind, member.workspace.pk, row), row)


def shown(page: ObjectPage) -> str:
    context = {"fields": page.fields, "may_edit": page.may_edit, "version": page.of.version, "member": page.member}
    return render_to_string("graphs/records/fields.html", context)


def test_fields_of_a_model_of_ones_own_are_shown_by_their_form(shop: Shop, alice: User) -> None:
    lamp = product(shop, "Lamp", notes="**Bright**", weight=2.5, data={"problem": "dark", "scores": [1, 2]})
    looks = {field.path: field.look.name for field in page(alice, lamp).fields}
    assert looks == {
        "notes": "text",
        "price": "number",
        "since": "line",
        "weight": "number",
        "data.problem": "json",
        "data.scores": "json",
    }
    text = shown(page(alice, lamp))
    assert '<markdown-text dir="auto">**Bright**</markdown-text>' in text
    values = dict(re.findall(r'data-field="([^"]+)" data-value="([^"]*)"', text))
    assert {path: json.loads(unescape(value)) for path, value in values.items()} == {
        "notes": "**Bright**",
        "price": "0.00",
        "since": None,
        "weight": 2.5,
        "data.problem": "dark",
        "data.scores": [1, 2],
    }


def test_numbers_are_read_by_scripts_in_every_language(shop: Shop, alice: User) -> None:
    with translation.override("fr"):
        text = shown(page(alice, product(shop, "Lamp", weight=1234.5)))
    assert 'data-field="weight" data-value="1234.5"' in text


def test_a_registered_look_is_shown(shop: Shop, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphs.page_parts.looks._LOOKS", dict(_LOOKS))
    register_look("product", "data.scores", Look("texts"))
    lamp = product(shop, "Lamp", data={"scores": ["one", {"two": 2}]})
    text = shown(page(alice, lamp))
    assert "one</markdown-text></li>" in text
    assert "two" in text


def test_it_knows_what_holds_it_and_what_it_holds(shop: Shop, alice: User) -> None:
    lamp = product(shop, "Lamp")
    holder = page(alice, lamp).holder
    assert holder
    assert holder[0] == shop
    (held,) = page(alice, shop).held
    assert (held.kind.name, held.count, [row for row, _url in held.rows]) == ("product", 1, [lamp])


def test_what_the_member_may_not_see_is_neither_listed_nor_counted(demo_workspace: Workspace, alice: User) -> None:
    with shops(may_see=lambda _member, row: row.name != "Secret"):
        shop = Shop.objects.create(workspace=demo_workspace, name="Corner")
        product(shop, "Lamp")
        product(shop, "Secret")
        (held,) = page(alice, shop).held
        assert (held.count, [row.name for row, _url in held.rows]) == (1, ["Lamp"])


def test_who_may_not_edit_gets_no_controls(demo_workspace: Workspace, alice: User, bob: User) -> None:
    with shops(may_edit=lambda _member, _row: False):
        lamp = product(Shop.objects.create(workspace=demo_workspace, name="Corner"), "Lamp")
        for person in (alice, bob):
            assert "data-edit" not in shown(page(person, lamp))
