"""Run by `test_the_page` with the settings of the page's project: what a model of somebody else can do."""

import json
import threading
import time
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connections, transaction
from django.test import Client
from playwright.sync_api import Page, expect
from shop.models import Product, Review

from chat.actions import deciding
from chat.actions.deciding import Decision
from chat.actions.refusals import Refused
from chat.models import Message, Proposal, ProposalStatus, Run, Session, StreamEvent
from chat.prompts.always_sent import at_the_beginning
from chat.prompts.system import system_prompt
from chat.proposals.proposing import WriteCall, propose
from chat.queries.links import Link, shown_as
from chat.subjects import tools
from chat.subjects.registered_subjects import subject_of
from chat.tools.object_reading import FindArguments, SearchObjects
from chat.tools.tool import ToolContext
from graphs.history import changes, outside, queries, rollback
from graphs.history.compare import between
from graphs.history.recording import Because
from graphs.history.rollback import Clashing
from graphs.history.scopes import AsOf, ChangeSets
from graphs.models import ChangeSet, Membership, Object, Origin, Role, Workspace
from graphs.objects import actions
from graphs.objects.actions import ChangeRefused
from graphs.objects.headers import object_for
from graphs.objects.operations import Delete
from graphs.objects.refs import Ref
from graphs.site.access import Member, NotFound, member_of
from graphs.site.api import tokens
from rag.embeddings import background
from tests import chromium, conversations, emptying
from tests.browser import Windows, sign_in
from tests.web_process import database_url, web_processes

# Without it a test cannot be forgotten: PostgreSQL refuses to empty the history.
emptying.install()

pytest_plugins = ["tests.browser"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def alice() -> Member:
    return _member("alice", "demo")


@pytest.fixture
def product(alice: Member) -> Product:
    return Product.objects.create(name="Lamp", price="12.50", data={"problem": "Too dark", "scores": {"a": 1}})


def _member(name: str, slug: str) -> Member:
    workspace, _new = Workspace.objects.get_or_create(slug=slug, defaults={"name": slug})
    user = User.objects.create(username=name)
    Membership.objects.create(user=user, workspace=workspace, role=Role.EDITOR)
    return member_of(user)


def ref(product: Product) -> Ref:
    return Ref("product", str(product.pk))


def header(member: Member, product: Product) -> Object:
    found = object_for(member, ref(product))
    outside.notice(found)
    return Object.objects.get(pk=found.pk)


def proposed(member: Member, product: Product, **updates: object) -> Proposal:
    of = header(member, product)
    return proposed_call(member, of, "update_object", {"object": str(ref(product)), "updates": updates})


def proposed_call(member: Member, about: Object | None, name: str, arguments: dict[str, object]) -> Proposal:
    """What a model proposes in a conversation, by the tool of this action."""
    with transaction.atomic():
        session = Session.objects.filter(owner=member.user).first() or conversations.empty(member)
        position = session.messages.count() + 2
        Message.objects.create(session=session, sequence=position - 1, role=Message.Role.USER, content="Do it.")
        message = Message.objects.create(session=session, sequence=position, role=Message.Role.ASSISTANT)
        Run.objects.create(session=session, message=message, author=member.user, trigger={}, status="succeeded")
        call = WriteCall(uuid.uuid4().hex, f"propose_{name}", actions.parse(name, arguments), arguments, "Because.")
        return propose(member, session, message, about, call).proposal


def called(member: Member, name: str, **arguments: object) -> dict[str, Any]:
    """What a tool that reads tells a model in a conversation about nothing, called as a model calls it."""
    offered = [spec.name for spec in tools.specs(member.role, subject_of(""))]
    call = tools.parse(name, json.dumps(arguments), offered)
    assert isinstance(call, tools.ParsedCall), call
    return tools.run(call, ToolContext(member, None))


def approve(member: Member, proposal: Proposal) -> Proposal:
    deciding.decide(member, str(proposal.pk), Decision(True, ""))
    return Proposal.objects.get(pk=proposal.pk)


def test_a_proposal_has_a_diff_and_is_applied_through_the_model(alice: Member, product: Product) -> None:
    waiting = proposed(alice, product, name="Bright lamp", **{"data.problem": "Dark"})
    (entry,) = waiting.diff
    assert entry["object"] == ref(product).to_json()
    assert [(field["field"], field["old"], field["new"]) for field in entry["fields"]] == [
        ("name", "Lamp", "Bright lamp"), ("data.problem", "Too dark", "Dark"),
    ]  # fmt: skip
    assert approve(alice, waiting).status == ProposalStatus.APPLIED
    product.refresh_from_db()
    assert (product.name, product.data) == ("Bright lamp", {"problem": "Dark", "scores": {"a": 1}})
    of = header(alice, product)
    names = set(StreamEvent.objects.values_list("stream__name", "type"))
    assert (f"product_{of.pk}", "object_changed") in names


def test_its_own_validation_is_told(alice: Member, product: Product) -> None:
    with pytest.raises(ChangeRefused, match="A price is not negative"):
        proposed(alice, product, price="-1")
    with pytest.raises(ChangeRefused, match=r"There is no field photo. Fields of product: name, price, notes"):
        proposed(alice, product, photo="x")


def test_a_row_is_proposed_and_made_and_deleted(alice: Member, product: Product) -> None:
    of, asked = header(alice, product), {"kind": "review", "parent": str(ref(product))}
    with pytest.raises(ChangeRefused, match="title: This field cannot be blank"):
        proposed_call(alice, of, "create_object", {**asked, "fields": {"text": "Bright"}})
    waiting = proposed_call(alice, of, "create_object", {**asked, "fields": {"title": "Good", "text": "Bright"}})
    (entry,) = waiting.diff
    assert (entry["action"], entry["label"], waiting.status) == ("create", "Good", ProposalStatus.PENDING)
    assert not Review.objects.exists()
    assert approve(alice, waiting).status == ProposalStatus.APPLIED
    made = Review.objects.get()
    assert (made.title, made.text, made.product) == ("Good", "Bright", product)
    name = f"review:{made.pk}"
    assert called(alice, "list_objects", kind="review", parent=str(ref(product)))["objects"][0]["object"] == name
    gone = proposed_call(alice, of, "delete_object", {"object": name})
    assert [(entry["action"], entry["label"]) for entry in gone.diff] == [("delete", "Good")]
    assert Review.objects.exists()
    done = approve(alice, gone)
    assert not Review.objects.exists()
    rollback.roll_back(alice.workspace.pk, alice.user, ChangeSets((done.change_set,)))  # type: ignore[arg-type]
    assert Review.objects.get() == made


def test_a_new_row_comes_into_the_workspace_of_its_person(alice: Member, product: Product) -> None:
    asked: dict[str, object] = {"kind": "product", "fields": {"name": "Candle", "price": "3"}}
    approve(alice, proposed_call(alice, header(alice, product), "create_object", asked))
    charlie = _member("charlie", "other")
    approve(charlie, proposed_call(charlie, None, "create_object", asked))
    found = Product.objects.filter(name="Candle").values_list("shop", flat=True)
    assert sorted(found) == ["demo", "other"]
    with pytest.raises(ChangeRefused, match="There is no field shop"):
        proposed_call(charlie, None, "create_object", {"kind": "product", "fields": {"name": "Lamp", "shop": "demo"}})


def test_a_deleted_row_comes_back(alice: Member, product: Product) -> None:
    gone = proposed_call(alice, header(alice, product), "delete_object", {"object": str(ref(product))})
    assert [(entry["action"], entry["label"]) for entry in gone.diff] == [("delete", "Lamp")]
    done = approve(alice, gone)
    assert not Product.objects.exists()
    rollback.roll_back(alice.workspace.pk, alice.user, ChangeSets((done.change_set,)))  # type: ignore[arg-type]
    assert Product.objects.get().data == {"problem": "Too dark", "scores": {"a": 1}}


def test_of_two_who_approve_at_once_one_wins(alice: Member, product: Product) -> None:
    waiting = proposed(alice, product, name="Once")
    outcomes: list[str] = []

    def decide(member: Member) -> None:
        try:
            deciding.decide(member, str(waiting.pk), Decision(True, ""))
            outcomes.append("done")
        except Exception as error:  # Any: its name is compared.
            outcomes.append(type(error).__name__)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=decide, args=[member]) for member in (alice, _member("dora", "demo"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["Refused", "done"]
    assert ChangeSet.objects.filter(origin=Origin.CHAT).count() == 1


def test_what_moved_on_makes_a_proposal_stale(alice: Member, product: Product) -> None:
    waiting = proposed(alice, product, name="A")
    Product.objects.filter(pk=product.pk).update(name="B")
    with pytest.raises(Refused, match="has changed meanwhile"):
        approve(alice, waiting)
    stale = Proposal.objects.get(pk=waiting.pk)
    assert stale.status == ProposalStatus.STALE
    (conflict,) = stale.conflicts
    assert (conflict["field"], conflict["expected"], conflict["found"]) == ("name", "Lamp", "B")


def test_a_save_past_our_door_stands_in_the_history(alice: Member, product: Product) -> None:
    header(alice, product)
    product.price = "99.00"
    product.save()
    made = ChangeSet.objects.get(origin=Origin.OUTSIDE)
    (changed,) = made.modifications.all()
    assert (changed.field, changed.old, changed.new, made.actor) == ("price", "12.50", "99.00", None)


def test_the_history_is_read_compared_and_rolled_back(alice: Member, product: Product) -> None:
    first = approve(alice, proposed(alice, product, name="One", **{"data.scores": {"a": 2}}))
    approve(alice, proposed(alice, product, notes="Two"))
    of = header(alice, product)
    subject = queries.subject(alice.workspace.pk, ref(product))
    assert (subject.version, [row.version for row in queries.versions(subject)]) == (3, [3, 2, 1])
    (change,) = between("product", of.pk, 1, 3)
    assert change.new == {"name": "One", "data.scores": {"a": 2}, "notes": "Two"}  # type: ignore[union-attr]
    rollback.roll_back(alice.workspace.pk, alice.user, ChangeSets((first.change_set,)))  # type: ignore[arg-type]
    product.refresh_from_db()
    assert (product.name, product.notes, product.data["scores"]) == ("Lamp", "Two", {"a": 1})
    rollback.roll_back(alice.workspace.pk, alice.user, AsOf("product", of.pk, 1))
    product.refresh_from_db()
    assert product.notes == ""


def test_a_rollback_names_who_stands_in_the_way(alice: Member, product: Product) -> None:
    done = approve(alice, proposed(alice, product, name="One"))
    Product.objects.filter(pk=product.pk).update(name="Mine")
    header(alice, product)
    with pytest.raises(Clashing):
        rollback.roll_back(alice.workspace.pk, alice.user, ChangeSets((done.change_set,)))  # type: ignore[arg-type]


def test_foreign_is_absent(alice: Member, product: Product) -> None:
    charlie = _member("charlie", "other")
    for name in (ref(product), Ref("product", str(uuid.uuid4())), Ref("product", "no key"), Ref("nothing", "x")):
        with pytest.raises(NotFound):
            object_for(charlie, name)
    assert not Object.objects.filter(workspace=charlie.workspace).exists()


def test_a_row_of_another_workspace_stays_there(alice: Member) -> None:
    """Deleted and brought back, it has the slug that is no field, and not the default of the model."""
    charlie = _member("charlie", "other")
    theirs = Product.objects.create(name="Lantern", shop="other")
    of = header(charlie, theirs)
    changes.apply(of, [Delete(ref(theirs), of.as_recorded or {})], Because(charlie.user, Origin.MANUAL))
    assert not Product.objects.exists()
    gone = ChangeSet.objects.get(origin=Origin.MANUAL)
    rollback.roll_back(charlie.workspace.pk, charlie.user, ChangeSets((gone.pk,)))
    assert Product.objects.get().shop == "other"
    with pytest.raises(NotFound):
        object_for(alice, ref(theirs))


def test_a_model_reads_a_row_the_list_and_the_history(alice: Member, product: Product) -> None:
    Product.objects.create(name="Lantern", shop="other")
    Product.objects.create(name="Candle", price="3.00")
    approve(alice, proposed(alice, product, name="Bright lamp", **{"data.problem": "Dark"}))
    name = str(ref(product))
    read = called(alice, "read_object", object=name)
    assert (read["object"], read["title"], read["version"]) == (name, "Bright lamp", 2)
    assert read["fields"] == {
        "name": "Bright lamp", "price": "12.50", "data.problem": "Dark", "data.scores": {"a": 1}
    }  # fmt: skip
    assert called(alice, "read_object", object=name, fields=["data.problem"])["fields"] == {"data.problem": "Dark"}
    listed = called(alice, "list_objects", kind="product", orderBy="-price")
    assert [(row["title"], row["price"]) for row in listed["objects"]] == [("Bright lamp", "12.50"), ("Candle", "3.00")]
    assert called(alice, "list_objects", kind="product", search="dark")["total"] == 1
    latest, first = called(alice, "read_history", object=name)["versions"]
    assert (latest["version"], latest["who"], latest["reason"], first["version"]) == (2, "alice", "Because.", 1)
    assert {(change["field"], change["old"], change["new"]) for change in latest["changes"]} == {
        ("name", "Lamp", "Bright lamp"), ("data.problem", "Too dark", "Dark")
    }  # fmt: skip
    (alone,) = called(alice, "read_history", object=name, field="data.problem")["versions"]
    assert [change["field"] for change in alone["changes"]] == ["data.problem"]
    charlie = _member("charlie", "other")
    assert "There is no" in called(charlie, "read_object", object=name)["error"]
    assert "There is no" in called(charlie, "read_history", object=name)["error"]
    assert [row["title"] for row in called(charlie, "list_objects", kind="product")["objects"]] == ["Lantern"]


def test_a_row_is_found_by_its_words(alice: Member, product: Product) -> None:
    Product.objects.create(name="Lantern", notes="Not too dark", shop="other")
    (found,) = SearchObjects().run(ToolContext(alice, None), FindArguments(query="what is dark"))["objects"]
    assert (found["object"], found["field"], found["text"]) == (str(ref(product)), "data.problem", "Too dark")


def test_the_menu_of_the_page_sends_the_row_always(alice: Member, product: Product) -> None:
    client = Client()
    client.force_login(alice.user)
    assert "data-always-send" in client.get(f"/products/{product.pk}/").content.decode()
    address = f"/api/v1/objects/product/{product.pk}/always-send"
    assert at_the_beginning(alice) == ""
    token = {"Authorization": f"Bearer {tokens.issue(alice.user).access}"}
    sent = Client(headers=token).put(address, {"alwaysSend": True}, content_type="application/json")
    assert sent.status_code == 200, sent.content
    assert "Too dark" in at_the_beginning(alice)
    assert at_the_beginning(_member("charlie", "other")) == ""


def test_a_row_is_found_by_a_text_that_shares_no_word_with_it(alice: Member, product: Product) -> None:
    umbrella = Product.objects.create(name="Umbrella", notes="Keeps the rain off")
    look_for = FindArguments(query="protection against wet weather")
    search, context = SearchObjects(), ToolContext(alice, None)
    assert search.run(context, look_for)["objects"] == []
    background.work(until=time.monotonic() + 60)
    (found,) = search.run(context, look_for)["objects"]
    assert found == {"object": str(ref(umbrella)), "title": "Umbrella"}
    assert search.run(ToolContext(_member("charlie", "other"), None), look_for)["objects"] == []


def test_it_brings_its_words(alice: Member, product: Product) -> None:
    Product.objects.create(name="Candle", price="1")
    assert "A price is in euros" in system_prompt(header(alice, product), alice)
    call = tools.parse(
        "count_cheaper_products", "", [spec.name for spec in tools.specs(Role.VIEWER, subject_of("product"))]
    )
    assert isinstance(call, tools.ParsedCall)
    assert tools.run(call, ToolContext(alice, header(alice, product))) == {"count": 1}
    client = Client()
    client.force_login(alice.user)
    assert "Is Lamp expensive?" in client.get(f"/products/{product.pk}/").content.decode()


def test_a_mention_becomes_a_link(alice: Member, product: Product) -> None:
    assert shown_as(alice, [ref(product)]) == {ref(product): Link("Lamp", f"/products/{product.pk}/")}
    assert shown_as(_member("charlie", "other"), [ref(product)]) == {}


def test_the_page_has_the_widget(alice: Member, product: Product) -> None:
    client = Client()
    client.force_login(alice.user)
    assert client.get("/products/abc/").status_code == 404
    answer = client.get(f"/products/{product.pk}/")
    assert (answer.status_code, f'context-type="product" context-id="{product.pk}"' in answer.content.decode()) == (
        200,
        True,
    )


def test_the_page_is_a_whole_one(alice: Member, product: Product) -> None:
    client = Client(headers={"Accept-Language": "fr"})
    client.force_login(alice.user)
    text = client.get(f"/products/{product.pk}/").content.decode()
    for part in (
        "<!doctype html>", '<html lang="fr">', "<title>Lamp</title>", '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
    ):  # fmt: skip
        assert part in text, part


def test_the_admin_leads_to_its_versions(alice: Member, product: Product) -> None:
    approve(alice, proposed(alice, product, name="One"))
    of = header(alice, product)
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    versions = f"/admin/graphs/object/{of.pk}/versions/"
    assert versions in client.get(f"/admin/shop/product/{product.pk}/change/").content.decode()
    assert versions in client.get("/admin/graphs/object/", {"kind": "product"}).content.decode()
    assert "<ins>One</ins>" in client.get(versions, {"a": 1, "b": 2}).content.decode()


#: As if the page had no `{% chat_widget product %}`.
WITHOUT_PANEL = """
new MutationObserver(() => document.querySelectorAll("chat-widget").forEach((each) => each.remove()))
    .observe(document, { childList: true, subtree: true })
"""


@pytest.fixture(params=["with the panel", "without it"])
def opened(request: pytest.FixtureRequest, alice: Member, product: Product, windows: Windows) -> Iterator[Page]:
    """The page of the product, in a browser at a real process, once it reads what happens."""
    # The project of the page knows one role.
    with web_processes(DJANGO_SETTINGS_MODULE="mysite.settings", DATABASE_URL=database_url()) as (web,):
        page = windows.open()
        sign_in(page.context, alice.user, web.url)
        if request.param == "without it":
            page.add_init_script(WITHOUT_PANEL)
        frames: list[object] = []

        def hear(frame: object) -> None:
            frames.append(frame)

        page.on("websocket", lambda socket: socket.on("framereceived", hear))
        page.goto(f"{web.url}/products/{product.pk}/")
        # It may have come before the page was loaded.
        while not any("ai:subscribed" in str(frame) for frame in frames):
            page.wait_for_timeout(20)
        yield page


@pytest.mark.skipif(not chromium.path(), reason=chromium.MISSING)
def test_its_page_changes_as_it_does(opened: Page, alice: Member, product: Product) -> None:
    name, price, notes = (opened.locator(f"[data-field={field}]") for field in ("name", "price", "notes"))
    opened.evaluate("window.loadedOnce = true")
    approve(alice, proposed(alice, product, name="Bright lamp"))
    expect(name).to_have_text("Bright lamp")
    product.refresh_from_db()
    product.price = "99.00"
    product.save()
    expect(price).to_have_text("99.00")
    notes.fill("I am still wri")
    approve(alice, proposed(alice, product, name="One", notes="Theirs"))
    expect(name).to_have_text("One")
    expect(notes).to_have_value("I am still wri")
    notes.fill("")
    notes.blur()
    expect(notes).to_have_value("Theirs")
    last = ChangeSet.objects.latest("created_at")
    rollback.roll_back(alice.workspace.pk, alice.user, ChangeSets((last.pk,)))
    expect(name).to_have_text("Bright lamp")
    proposed(alice, product, price="1")
    if opened.locator("chat-widget").count():
        expect(opened.locator("chat-widget .others")).to_contain_text("1 change of another conversation waits")
    product.delete()
    expect(opened.get_by_role("alert")).to_have_text("This was deleted, or you may not see it any more.")
    assert opened.evaluate("window.loadedOnce")
