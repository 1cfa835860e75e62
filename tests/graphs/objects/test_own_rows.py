"""Rows of models as applications write them: with managers, saves, constraints and tenants of their own."""

import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Count, F, Q
from django.db.models.functions import Lower
from django.test import Client
from django.test.utils import isolate_apps

from chat.actions import deciding
from chat.actions.deciding import Decision
from chat.actions.refusals import Refused
from graphs.history import rollback
from graphs.history.rollback_conflicts import named
from graphs.history.scopes import AsOf, ChangeSets
from graphs.models import ChangeSet, Modification, Object, Origin, Revision, Workspace
from graphs.objects import staleness
from graphs.objects.actions import ChangeRefused
from graphs.objects.kinds import Kind
from graphs.objects.preconditions import Conflict
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from graphs.site.accounts import Account
from rag.sources.objects.search import find
from tests.graphs.api.callers import post_json, problem, with_token
from tests.proposed import waiting
from tests.registered import rows_of

API = "/api/v1/objects"

with isolate_apps("tests.shop"):

    class Shelf(models.Model):
        workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")

        class Meta:
            app_label = "shop"

    class Counted(models.Manager["Book"]):
        """Joins what may be missing, and groups."""

        def get_queryset(self) -> "models.QuerySet[Book]":
            return super().get_queryset().select_related("shelf").annotate(pages=Count("leaves"))

    class Book(models.Model):
        """Of a workspace by the slug that stands in it, and not for everybody's eyes in all its columns."""

        tenant = models.SlugField(default="demo", editable=False)
        shelf = models.ForeignKey(Shelf, models.SET_NULL, null=True, blank=True)
        title = models.CharField(max_length=300)
        blurb = models.TextField(blank=True)
        price = models.DecimalField(max_digits=8, decimal_places=2, default=Decimal(0))
        data = models.JSONField(default=dict, blank=True)
        dues = ArrayField(models.DecimalField(max_digits=5, decimal_places=2), default=list, blank=True)
        password = models.CharField(max_length=20, default="nobody's")
        remark = models.CharField(max_length=20, blank=True)
        until = models.DateField(null=True, blank=True)
        hidden = models.BooleanField(default=False)

        objects = Counted()

        class Meta:
            app_label = "shop"
            constraints = (
                models.UniqueConstraint(Lower("title"), F("tenant"), name="title_once", violation_error_message="once"),
            )

        def delete(self, *args: Any, **options: Any) -> Any:
            if self.blurb != "for ever":
                return super().delete(*args, **options)
            self.hidden = True
            return self.save()

    class Numbered(models.Model):
        workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
        name = models.CharField(max_length=10)

        class Meta:
            app_label = "shop"
            db_table = "Numbered Things"

    class Short(models.Model):
        code = models.CharField(max_length=5, primary_key=True)
        workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
        name = models.CharField(max_length=10)

        class Meta:
            app_label = "shop"

    class Counting(models.Model):
        number = models.IntegerField(primary_key=True)
        workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
        name = models.CharField(max_length=10)

        class Meta:
            app_label = "shop"

    class Pair(models.Model):
        """Nothing happens to what points to a row that goes: the database has to refuse it."""

        workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
        name = models.CharField(max_length=10)
        other = models.ForeignKey("self", models.DO_NOTHING, null=True, editable=False)

        class Meta:
            app_label = "shop"

    class Leaf(models.Model):
        book = models.ForeignKey(Book, models.CASCADE, related_name="leaves")

        class Meta:
            app_label = "shop"


FIELDS = ("title", "blurb", "price", "data.problem.text", "data.open")


def of_tenant(workspace: Workspace) -> "models.QuerySet[Book]":
    return Book.objects.filter(tenant=workspace.slug)


@pytest.fixture
def kind(db: None) -> Iterator[Kind]:
    with rows_of(Book, Shelf, Leaf, title="title", fields=FIELDS, workspace=of_tenant) as registered:
        yield registered


@pytest.fixture
def client(charlie: User) -> Client:
    """Of the workspace that is nobody's default."""
    return with_token(charlie)


@pytest.fixture
def book(kind: Kind, client: Client) -> Book:
    return made(client, title="Emma")


def made(client: Client, **values: Any) -> Book:
    row = Book.objects.create(tenant="other", **values)
    assert client.get(path_of(row)).status_code == 200
    return Book.objects.get(pk=row.pk)


def path_of(row: Book) -> str:
    return f"{API}/book/{row.pk}"


def do(client: Client, row: Book, action: str, **arguments: Any) -> Any:
    return post_json(client, f"{path_of(row)}/changes", {"actions": [{"action": action, "arguments": arguments}]})


def edit(client: Client, row: Book, **updates: Any) -> Any:
    return do(client, row, "update_object", updates=updates)


def take_back(of: User, done: Any) -> None:
    workspace = of.memberships.get().workspace_id  # type: ignore[attr-defined]
    rollback.roll_back(workspace, of, ChangeSets((ChangeSet.objects.get(pk=done.json()["id"]).pk,)))


@pytest.mark.parametrize("since", [True, False])
def test_what_is_no_field_comes_back_with_a_deleted_row(client: Client, charlie: User, book: Book, since: bool) -> None:
    Book.objects.filter(pk=book.pk).update(remark="quiet", until="2026-11-24", data={"mine": 1, "open": True})
    before = Book.objects.filter(pk=book.pk).values().get()
    gone = do(client, book, "delete_object")
    assert gone.status_code == 201, gone.json()
    assert not Book.objects.exists()
    if since:
        (was,) = Modification.objects.filter(change_set=gone.json()["id"])
        rollback.roll_back(charlie.memberships.get().workspace_id, charlie, AsOf("book", was.object, was.version - 1))
    else:
        take_back(charlie, gone)
    assert Book.objects.filter(pk=book.pk).values().get() == before


def test_nobody_is_shown_what_is_no_field(client: Client, charlie: User, book: Book) -> None:
    Book.objects.filter(pk=book.pk).update(password="secret", remark="quiet")
    header = Object.objects.get(type="book", key=str(book.pk))
    (renaming,) = waiting(charlie, header, ("update_object", {"object": str(header), "updates": {"title": "A"}}))
    gone = do(client, book, "delete_object").json()["id"]
    staleness_told = staleness.explained(
        header, [Conflict(Ref("book", str(book.pk)), "", {}, None)], renaming.created_at
    )
    shown = [client.get(f"/api/v1/history{each}") for each in (f"/{gone}", f"?object=book:{book.pk}")]
    assert [answer.status_code for answer in shown] == [200, 200]
    other = made(client, title="Persuasion")
    seen = [{"type": "book", "id": str(book.pk), "version": 1}]
    asked = {"actions": [{"action": "update_object", "arguments": {"updates": {"blurb": "x"}}}], "expected": seen}
    shown.append(post_json(client, f"{API}/book/{other.pk}/changes", asked))
    assert shown[-1].status_code == 409
    assert "quiet" not in str([staleness_told, *(answer.content for answer in shown)])
    take_back(charlie, client.get(f"/api/v1/history/{gone}"))
    assert "quiet" not in str(list(Modification.objects.filter(action="create").values()))
    assert "secret" not in str(list(Modification.objects.values()))
    assert Book.objects.filter(pk=book.pk).values("password", "remark").get() == {
        "password": "nobody's",
        "remark": "quiet",
    }


def test_a_row_that_would_not_come_back_without_its_secret_stays(
    client: Client, book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Book._meta.get_field("password"), "default", models.NOT_PROVIDED)
    monkeypatch.setattr(Book._meta.get_field("password"), "db_default", models.NOT_PROVIDED, raising=False)
    answer = problem(do(client, book, "delete_object"), 400, "refused")
    assert "would not come back without password" in answer["detail"]
    assert Book.objects.exists()


def test_a_row_that_would_come_back_in_another_workspace_stays_away(
    client: Client, charlie: User, book: Book, other_workspace: Workspace
) -> None:
    """What other code deleted is gone with what is no field: its slug would be that of the model's default."""
    book.delete()
    gone = ChangeSet.objects.get(origin=Origin.OUTSIDE)
    with pytest.raises(ChangeRefused, match="would leave its workspace"):
        rollback.roll_back(other_workspace.pk, charlie, ChangeSets((gone.pk,)))
    assert not Book.objects.exists()


def test_no_change_hands_a_row_to_another_workspace(db: None, client: Client) -> None:
    with rows_of(Book, Shelf, Leaf, title="title", fields=(*FIELDS, "tenant"), workspace=of_tenant):
        row = made(client, title="Emma")
        answer = problem(edit(client, row, tenant="demo"), 400, "refused")
        assert "would leave its workspace" in answer["detail"]
        assert Book.objects.get(pk=row.pk).tenant == "other"


def test_a_save_without_keywords_is_enough_for_a_change(client: Client, book: Book, monkeypatch: Any) -> None:
    monkeypatch.setattr(Book, "save", lambda row: models.Model.save(row))
    assert edit(client, book, title="Emma, again").status_code == 201


def test_lists_of_values_are_told_as_texts(db: None, client: Client, charlie: User) -> None:
    with rows_of(Book, Shelf, Leaf, title="title", fields=("title", "dues"), workspace=of_tenant):
        row = made(client, title="Emma", dues=["1.5", "2"])
        assert client.get(path_of(row)).json()["fields"]["dues"] == ["1.50", "2.00"]
        changed = edit(client, row, dues=["3.00", 4])
        assert changed.status_code == 201
        take_back(charlie, changed)
        assert Book.objects.get().dues == [Decimal("1.50"), Decimal(2)]
        for wrong in (5, "no", ["x"], {}):
            problem(edit(client, row, dues=wrong), 400, "refused")


def test_values_of_a_class_of_the_application_are_told_as_texts(
    kind: Kind, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    column: Any = Book._meta.get_field("blurb")
    monkeypatch.setattr(column, "from_db_value", lambda value, *_: Path(value), raising=False)
    row = made(client, title="Emma", blurb="a/b")
    assert isinstance(Book.objects.get().blurb, Path)
    row.title = "Emma, again"
    row.save()
    assert client.get(path_of(row)).json()["fields"]["blurb"] == "a/b"


def test_a_title_may_be_long(kind: Kind, client: Client) -> None:
    row = made(client, title="e" * 300)
    assert edit(client, row, blurb="New").status_code == 201
    assert {len(each.label) for each in Revision.objects.filter(type="book")} == {200}
    row.price = 3
    row.save()
    assert ChangeSet.objects.filter(origin=Origin.OUTSIDE).count() == 1


def test_a_kind_without_texts_is_searched_in_vain(db: None, client: Client, charlie: User) -> None:
    with rows_of(Book, Shelf, Leaf, title="hidden", fields=("hidden",), workspace=of_tenant) as kind:
        made(client, title="Emma")
        assert client.get(API, {"type": "book", "search": "Emma"}).json()["results"] == []
        assert find(member_of(charlie), [kind], "Emma", Account(None)).objects == []


def test_prices_may_be_floats(client: Client, book: Book) -> None:
    assert edit(client, book, price=19.9).status_code == 201
    assert Book.objects.get(pk=book.pk).price == Decimal("19.90")


def test_nothing_is_no_value_of_a_column_that_has_to_have_one(client: Client, book: Book) -> None:
    answer = problem(edit(client, book, blurb=None), 400, "refused")
    assert answer["detail"] == "blurb: This field cannot be null."


def test_what_the_database_refuses_is_told(client: Client, book: Book, monkeypatch: Any) -> None:
    """As if somebody had saved the same a moment ago: the validation has not seen it."""
    monkeypatch.setattr(Book, "full_clean", lambda _row, **_options: None)
    made(client, title="Persuasion")
    answer = problem(edit(client, book, title="PERSUASION"), 400, "refused")
    assert answer["detail"] == "The database refuses this: Another one has the same already."
    assert "Persuasion" not in answer["detail"]
    assert edit(client, book, title="Sanditon").status_code == 201


def test_a_path_whose_place_is_taken_stops_no_other_field(client: Client, book: Book) -> None:
    Book.objects.filter(pk=book.pk).update(data={"problem": "high"})
    assert edit(client, book, title="Emma, again").status_code == 201
    answer = problem(edit(client, book, **{"data.problem.text": "x"}), 400, "refused")
    assert "data.problem.text" in answer["detail"]
    assert Book.objects.get(pk=book.pk).data == {"problem": "high"}


def test_a_row_that_is_only_hidden_is_not_deleted(client: Client, book: Book) -> None:
    Book.objects.filter(pk=book.pk).update(blurb="for ever")
    answer = problem(do(client, book, "delete_object"), 400, "refused")
    assert "only hides what is deleted" in answer["detail"]
    assert not Book.objects.get(pk=book.pk).hidden


def test_a_row_takes_nothing_along_that_would_not_come_back(client: Client, charlie: User, book: Book) -> None:
    Leaf.objects.create(book=book)
    answer = problem(do(client, book, "delete_object"), 400, "refused")
    assert answer["detail"] == f"book:{book.pk} is still used by: shop.leaf."
    Leaf.objects.all().delete()
    gone = do(client, book, "delete_object")
    assert gone.status_code == 201
    take_back(charlie, gone)
    Leaf.objects.create(book=book)
    again = ChangeSet.objects.filter(origin=Origin.ROLLBACK).get()
    with pytest.raises(rollback.Clashing) as refusal:
        rollback.roll_back(again.workspace, charlie, ChangeSets((again.pk,)))
    assert [clash.sentence for clash in named(refusal.value.plan)] == ["“shop.leaf” still belongs to it."]


def test_a_row_that_others_point_to_goes_only_with_them(db: None, client: Client, charlie: User) -> None:
    """Their foreign key is checked at the end of the transaction: who approves is told before."""
    with rows_of(Pair, title="name", fields=("name",), workspace="workspace"):
        workspace = charlie.memberships.get().workspace  # type: ignore[attr-defined]
        left, right = (Pair.objects.create(workspace=workspace, name=name) for name in ("Left", "Right"))
        Pair.objects.filter(pk=left.pk).update(other=right)
        Pair.objects.filter(pk=right.pk).update(other=left)
        one, two = (("delete_object", {"object": f"pair:{each.pk}"}) for each in (left, right))
        assert client.get(f"{API}/pair/{left.pk}").status_code == 200
        header = Object.objects.get(type="pair", key=str(left.pk))
        steps = [{"tool": f"propose_{name}", "arguments": arguments} for name, arguments in (one, two)]
        alone, together = waiting(charlie, header, one, ("batch", {"actions": steps}))
        with pytest.raises(Refused, match="is not there, or is still named by others"):
            deciding.decide(member_of(charlie), str(alone.pk), Decision(True))
        assert Pair.objects.count() == 2
        done = deciding.decide(member_of(charlie), str(together.pk), Decision(True)).proposal
        assert done.change_set is not None
        assert not Pair.objects.exists()


@pytest.mark.parametrize(("model", "key"), [(Numbered, r"\d+"), (Short, r"[0-9a-f]{1,5}"), (Counting, None)])
def test_new_rows_get_keys(
    db: None, client: Client, model: type[models.Model], key: str | None, other_workspace: Workspace
) -> None:
    with rows_of(model, name="thing", title="name", fields=("name",), workspace="workspace"):
        answer = post_json(client, f"{API}/thing", {"fields": {"name": "Lamp"}})
        if key is None:
            assert "Keys of thing are not made here" in problem(answer, 400, "refused")["detail"]
        else:
            assert answer.status_code == 201, answer.json()
            assert re.fullmatch(key, answer.json()["id"])


def test_a_hidden_row_is_in_the_way_of_a_rollback(db: None, client: Client, charlie: User) -> None:
    shown = Q(hidden=False)
    with rows_of(
        Book, Shelf, Leaf, title="title", fields=FIELDS, workspace=lambda workspace: of_tenant(workspace).filter(shown)
    ):
        row = made(client, title="Emma", blurb="for ever")
        gone = do(client, row, "delete_object")
        assert gone.status_code == 201
        with pytest.raises(ChangeRefused):
            take_back(charlie, gone)
        assert not Object.objects.filter(type="book").exists()
