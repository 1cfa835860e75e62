"""The subject of a kind: its words reach the prompt, its tools the model, its first questions the page."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.utils import translation

from chat.prompts.system import system_prompt
from chat.subjects import Subject, Welcome, register
from chat.subjects.registered_subjects import SUBJECTS, subject_of
from chat.subjects.tools import specs
from chat.templatetags.chat_widget import chat_widget, tool_badges
from chat.tools.tool import Arguments, ReadTool, ToolContext
from graphs.models import Role, UseCase
from graphs.objects.headers import object_for
from graphs.objects.refs import Ref
from graphs.site.access import Member
from tests.registered import product, shops
from tests.seeded import World, world
from tests.shop.models import Product, Shop

pytestmark = pytest.mark.django_db


class Stock(ReadTool[Arguments]):
    name = "read_stock"
    description = "How many there are."
    arguments = Arguments

    def run(self, context: ToolContext, arguments: Arguments) -> dict[str, Any]:
        return {"stock": 3}


class OfProducts(Subject):
    conventions = "# Products\nA price is in euros."
    tools = (*Subject.tools, Stock())

    def welcome(self, title: str) -> Welcome:
        return Welcome("Ask about it.", "Ask", (("list", f"Is {title} cheap?"),))


@pytest.fixture
def here() -> World:
    return world()


@pytest.fixture
def chair(here: World) -> Iterator[Product]:
    with shops():
        yield product(Shop.objects.create(workspace=here.alice.workspace, name="Spring"), "Chair")


@pytest.fixture
def registered(chair: Product) -> Iterator[None]:
    register("product", OfProducts())
    yield
    del SUBJECTS["product"]


def prompt(here: World, chair: Product) -> str:
    return system_prompt(object_for(here.alice, Ref("product", str(chair.pk))), here.alice)


def shown(here: World, thing: object) -> dict[str, Any]:
    welcome: dict[str, Any] = json.loads(chat_widget({"member": here.alice, "user": here.alice.user}, thing)["welcome"])
    return welcome


def test_a_kind_that_registers_nothing_has_what_holds_for_any(here: World, chair: Product) -> None:
    text = prompt(here, chair)
    assert "they may change objects themselves" in text
    assert "the graph themselves" not in text
    assert "{{type:id}}" in text
    offered = {spec.name for spec in specs(Role.EDITOR, subject_of("product"))}
    assert {"read_object", "propose_update_object", "propose_batch", "read_tool_result"} <= offered
    assert "search_nodes" not in offered
    assert shown(here, chair)["questions"][0][1] == "What do you know about “Chair”?"
    assert (shown(here, chair)["show"], shown(here, here.nba)["show"]) == ("", "Show in the graph")


def test_a_kind_brings_words_tools_and_questions(here: World, chair: Product, registered: None) -> None:
    assert "A price is in euros." in prompt(here, chair)
    assert "A price is in euros." not in system_prompt(None, here.alice)
    assert "read_stock" in {spec.name for spec in specs(Role.VIEWER, subject_of("product"))}
    assert "read_stock" not in {spec.name for spec in specs(Role.EDITOR, subject_of("graph"))}
    assert shown(here, chair)["questions"] == [["list", "Is Chair cheap?"]]


def test_who_only_looks_is_offered_no_question_that_asks_for_a_change(here: World) -> None:
    made = UseCase.objects.create(workspace=here.alice.workspace, data={"name": "Picking"})

    def offered(member: Member) -> list[str]:
        welcome = json.loads(chat_widget({"member": member, "user": member.user}, made)["welcome"])
        return [text for _icon, text in welcome["questions"]]

    assert "Propose a better description" in offered(here.alice)
    viewer = replace(here.alice, role=Role.VIEWER)
    assert offered(viewer) == [text for text in offered(here.alice) if text != "Propose a better description"]


def test_questions_are_in_the_language_of_the_page(here: World, chair: Product) -> None:
    with translation.override("fr"):
        assert "Chair" in shown(here, chair)["invitation"]
        assert shown(here, here.nba)["placeholder"] == "Une question sur ce workflow…"
        assert shown(here, None)["placeholder"] == "Posez une question…"


def test_what_cannot_be_registered_is_refused(registered: None) -> None:
    unfit: Any = (object(), Subject)
    for kind, subject, told in (
        ("nothing", Subject(), "No kind of object"),
        ("shop", unfit[0], r"shop: <object .*> is no subject. Write register\('shop', MySubject\(\)\), of a Subject"),
        ("shop", unfit[1], "shop: <class .*> is no subject"),
        ("product", Subject(), "Two subjects"),
        ("shop", type("Other", (Subject,), {"tools": (Stock(),)})(), "Two tools are called 'read_stock'"),
    ):
        with pytest.raises(ValueError, match=told):
            register(kind, subject)


def test_a_title_stays_text_in_the_page(here: World, chair: Product) -> None:
    Product.objects.update(name="\"'><script>alert(1)</script>" + "x" * 70)
    chair.refresh_from_db()
    page = render_to_string("chat/widget.html", chat_widget({"member": here.alice, "user": here.alice.user}, chair))
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    assert len(shown(here, chair)["questions"][0][1]) < 120


def test_pages_are_told_what_calls_are_called(registered: None) -> None:
    with translation.override("fr"):
        page = tool_badges()
    badges = json.loads(page.partition(">")[2].rpartition("<")[0])
    assert badges["search_nodes"] == ["search", "Recherche de nœuds"]
    assert badges["read_history"][0] == "clock"
    assert not {"read_stock", "propose_batch"} & set(badges), "without words the name says it"


def test_words_of_a_tool_cannot_end_the_script(registered: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stock, "badge", ("read", "</script><b>"))
    assert "</script><b>" not in tool_badges()
