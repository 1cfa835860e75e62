"""graphs/objects/registration.py: what cannot work is refused with a sentence that says what to write."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.contrib.postgres.fields import ArrayField, DateRangeField, IntegerRangeField
from django.core.exceptions import ImproperlyConfigured
from django.db import models, router
from django.db.models import Model
from django.test.utils import isolate_apps

from graphs.models import ChangeSet, Graph, Membership, Node, Object, Revision, Workspace
from graphs.objects import Field
from graphs.objects.headers import children_of, parent_of
from graphs.objects.kinds import KINDS
from graphs.objects.registration import register, register_view
from tests.registered import forget
from tests.shop.models import Page, Product


class Proxy(User):
    class Meta:
        app_label = "graphs"
        proxy = True


class Abstract(Model):
    class Meta:
        app_label = "graphs"
        abstract = True


with isolate_apps("tests.shop"):

    class Odd(Model):
        raw = models.BinaryField(editable=True)
        tags = ArrayField(models.CharField(max_length=5))
        days = ArrayField(DateRangeField())
        years = IntegerRangeField()
        named = models.ForeignKey(Group, models.CASCADE, to_field="name", related_name="+")

        class Meta:
            app_label = "shop"

    class Large(Product):
        size = models.IntegerField(default=1)

        class Meta:
            app_label = "shop"

    class OfGraphs(Graph):
        class Meta:
            app_label = "shop"

    class Timed(Model):
        at = models.DateTimeField(primary_key=True)
        name = models.CharField(max_length=10)

        class Meta:
            app_label = "shop"


def everybody(workspace: Workspace) -> "models.QuerySet[User]":
    return User.objects.filter(memberships__workspace=workspace)


@pytest.fixture
def cleaned() -> Any:
    """What a test registers, no other test finds."""
    before = set(KINDS)
    yield
    for name in KINDS.keys() - before:
        forget(KINDS[name])


@pytest.mark.parametrize(
    ("model", "options", "sentence"),
    [
        (User, {"title": "name", "fields": ["username"], "workspace": everybody}, "title='name' is none of its fields"),
        (User, {"title": "x", "fields": ["x"], "workspace": everybody}, "User has no field 'x'. Its fields: id"),
        (User, {"title": "username", "workspace": everybody}, r"'password' is a secret, by its name. Write exclude="),
        (User, {"title": "username", "fields": ["username"], "workspace": "memberships"}, "does not lead to a Work"),
        (User, {"title": "username", "fields": ["username"], "workspace": "shop"}, "does not lead to a Work"),
        (User, {"title": "username", "fields": ["username.first"], "workspace": everybody},
         r"'username.first' is a path within username, which is no JSONField. Write 'username'\."),
        (Product, {"title": "name", "fields": ["name", "data", "data.problem"], "workspace": "shop__workspace"},
         "'data.problem' is a part of 'data'. Name one of them"),
        (Membership, {"title": "user", "fields": ["user"], "workspace": "workspace"},
         r"Membership.user is a file or a relation, which .* Leave it out of fields, or write parent='user' if"),
        (User, {"title": "username", "fields": ["groups"], "workspace": everybody},
         r"User.groups is a file or a relation, which nobody can propose. Leave it out of fields\."),
        (Membership, {"title": "role", "workspace": "workspace", "parent": "role"}, "parent='role' is no foreign key"),
        (Workspace, {"title": "name", "name": "w", "workspace": "memberships__workspace"}, "does not lead to a Work"),
        (Workspace, {"title": "name", "name": "w", "workspace": None}, "it has no workspace"),
        (User, {"title": "username", "workspace": everybody, "exclude": ["passwort"]}, "exclude='passwort' is none"),
        (User, {"title": "username", "fields": ["username"], "workspace": everybody, "minor": ["emall"]},
         "minor='emall' is none of its fields. Write one of username"),
        (User, {"title": "username", "fields": [Field("username", "nickname", "Name")], "workspace": everybody},
         "User has no field 'nickname'"),
        (User, {"title": "id", "fields": ["id"], "workspace": everybody}, "User.id is the key"),
        (Object, {"title": "key", "name": "x", "workspace": "workspace"}, "Object is an object already"),
        (Revision, {"title": "label", "name": "past", "workspace": everybody}, r"called 'version' here. Write fields="),
        (Product, {"title": "parent", "fields": [Field("parent", "name", "Name")], "workspace": "shop__workspace"},
         "no field can be called 'parent' here"),
        (Group, {"title": "name", "name": "my-group", "workspace": everybody}, "my-group: a kind is called by"),
        (Group, {"title": "name", "name": "g" * 31, "workspace": everybody}, "a kind is called by a letter"),
        (Odd, {"title": "raw", "fields": ["raw"], "workspace": everybody}, "Odd.raw is a BinaryField, whose"),
        (Odd, {"title": "days", "fields": ["days"], "workspace": everybody}, "Odd.days is a ArrayField"),
        (Odd, {"title": "years", "workspace": everybody, "exclude": ["raw", "days"]}, "Odd.years is a Integer"),
        (Odd, {"title": "tags", "fields": ["tags"], "workspace": everybody, "parent": "named"},
         "parent='named' does not lead to a primary key"),
        (Group, {"title": "name", "name": "workspace", "workspace": everybody}, "workspace: other streams are"),
        (Proxy, {"title": "username", "workspace": everybody}, "Proxy is a proxy. Register the model"),
        (Abstract, {"title": "x", "workspace": everybody}, "Abstract is abstract"),
        (Graph, {"title": "name", "workspace": everybody}, "Graph is an object already, or a part of one. Remove this"),
        (Node, {"title": "name", "name": "n", "workspace": everybody}, "Node is an object already, or a part of one"),
        (Large, {"title": "name", "workspace": "shop__workspace"},
         r"large: Large extends Product, and its fields are in two tables. Write class Large"),
        (OfGraphs, {"title": "name", "workspace": "workspace"}, "OfGraphs extends Graph, and"),
        (Timed, {"title": "name", "workspace": everybody},
         r"nor a text. Give Timed one that is: id = models.UUIDField\(primary_key=True, default=uuid.uuid4\)"),
        (Group, {"title": "name"}, "group: it has no workspace. Write the path of foreign keys to it, or a function"),
        (Group, {"title": "name", "workspace": None}, "group: it has no workspace. Write the path"),
        (Group, {"title": "name", "workspace": 7}, "group: workspace=7 does not lead to a Workspace. Write the path"),
        (Group, {"title": "name", "workspace": everybody, "url": 7}, "group: url=7 is no address. Write the name of"),
        (Group, {"title": "name", "workspace": everybody, "url": None}, "group: url=None is no address"),
        (Group, {"title": "name", "workspace": everybody, "may_see": True},
         "group: may_see=True is no function. Write one .* may_see=lambda member, row: ..., or leave it out"),
        (Group, {"title": "name", "workspace": everybody, "may_edit": "staff"}, "group: may_edit='staff' is no func"),
        (Group, {"title": "name", "workspace": everybody, "fields": "name"},
         r"fields='name' is one text. Write fields=\('name',\)."),
        (Group, {"title": "name", "workspace": everybody, "exclude": "name"}, "exclude='name' is one text"),
        (Group, {"title": "name", "workspace": everybody, "minor": "name"}, "minor='name' is one text"),
        (Group, {"title": "name", "fields": ["name", "name"], "workspace": everybody},
         "two fields are called 'name'. Name each field once"),
        (Group, {"title": "name", "fields": ["name", Field("name", "name", "Name")], "workspace": everybody},
         "two fields are called 'name'"),
        (Group, {"title": "name", "fields": ["name", Field("called", "name", "Name")], "workspace": everybody},
         "'called' is a part of 'name'. Name one of them"),
        (Product, {"title": "name", "workspace": "shop__workspace",
                   "fields": ["name", "data", Field("problem", "data", "Problem", inside=("problem",))]},
         "'problem' is a part of 'data'"),
        *(
            (Product, {"title": "name", "fields": ["name", path], "workspace": "shop__workspace"},
             r"'data\.\S*' is a path with an empty key. Write 'data.<key>', or 'data' for all of it")
            for path in ("data.", "data..x", "data.x.", Field("x", "data", "X", inside=("",)))
        ),
        (Permission, {"title": "name", "name": "graph", "workspace": everybody}, "Two kinds are called 'graph'"),
        (ChangeSet, {"title": "reason", "name": "node", "workspace": everybody}, "Two kinds are called 'node'"),
    ],
)  # fmt: skip
def test_what_cannot_work_is_refused(model: type[Model], options: dict[str, Any], sentence: str, cleaned: None) -> None:
    with pytest.raises(ImproperlyConfigured, match=sentence):
        register(model, **options)


class Elsewhere:
    """Keeps groups in a database of their own, and reads a model of ours from a copy."""

    def db_for_write(self, model: type[Model], **_hints: Any) -> str | None:
        return "shop" if model is Group else None

    def db_for_read(self, model: type[Model], **_hints: Any) -> str | None:
        return "copy" if model is Object else None


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (Group, "group: Group is routed to the database 'shop', .* Let DATABASE_ROUTERS send it to 'default'"),
        (Permission, "permission: Object is routed to the database 'copy'"),
    ],
)
def test_a_model_of_another_database_is_refused(
    model: type[Model], sentence: str, monkeypatch: pytest.MonkeyPatch, cleaned: None
) -> None:
    monkeypatch.setattr(router, "routers", [Elsewhere()])
    with pytest.raises(ImproperlyConfigured, match=sentence):
        register(model, title="name", workspace=lambda workspace: model._default_manager.all())
    assert model not in [kind.model for kind in KINDS.values()]


@isolate_apps("tests.shop")
def test_objects_of_one_kind_hold_no_others_of_it(cleaned: None) -> None:
    class Folder(models.Model):
        workspace = models.ForeignKey(Workspace, models.CASCADE)
        within = models.ForeignKey("self", models.CASCADE, null=True)
        name = models.CharField(max_length=10)

        class Meta:
            app_label = "shop"

    with pytest.raises(ImproperlyConfigured, match="parent='within' leads to Folder itself"):
        register(Folder, title="name", workspace="workspace", fields=["name"], parent="within")


def test_a_model_is_registered_once(cleaned: None) -> None:
    register(Group, title="name", workspace=lambda workspace: Group.objects.all())
    with pytest.raises(ImproperlyConfigured, match="Group is registered twice"):
        register(Group, title="name", name="other", workspace=lambda workspace: Group.objects.all())


def test_fields_are_described_by_the_model(cleaned: None) -> None:
    kind = register(Page, title="name", workspace="graph__workspace", minor=["position"], parent="graph")
    assert [(field.name, field.form, field.minor, field.limit) for field in kind.fields] == [
        ("key", "text", False, 100),
        ("name", "text", False, 200),
        ("position", "number", True, None),
        ("parent", "key", False, None),
    ]
    assert parent_of(kind) is KINDS["graph"]
    assert children_of(KINDS["graph"]) == [kind]


def test_a_field_that_is_described_can_be_minor_as_well(cleaned: None) -> None:
    named, noted = Field("name", "name", "Name"), Field("notes", "notes", "Notes")
    kind = register(
        Product, name="p", title="name", workspace="shop__workspace", fields=(named, noted), minor=("notes",)
    )
    assert [(field.name, field.minor) for field in kind.fields] == [("name", False), ("notes", True)]


def test_a_star_stands_for_a_whole_column(cleaned: Any) -> None:
    for path in ("data.*.x", "data.x.*"):
        with pytest.raises(ImproperlyConfigured, match=r"Write 'data\.\*'"):
            register(Product, title="name", workspace="shop__workspace", fields=("name", path))
    kind = register(Product, title="name", workspace="shop__workspace", fields=("name", "data.*", "data.a.b", "data.c"))
    assert kind.field("data.*").beside == ("a", "c")


@pytest.mark.parametrize("column", ["nothing", "since"])
def test_lists_are_ordered_by_a_column_that_is_never_null(cleaned: Any, column: str) -> None:
    title = Field("data.name", "data", "name", inside=("name",), ordering=column)
    with pytest.raises(ImproperlyConfigured, match=f"ordering={column!r}"):
        register(Product, title="data.name", workspace="shop__workspace", fields=(title,))


def test_a_view_has_fields_of_its_whole_and_the_title_fixed(cleaned: Any) -> None:
    whole = register(Product, title="name", workspace="shop__workspace", fields=("name", "notes", "price"))
    with pytest.raises(ImproperlyConfigured, match="'nothing' is no field of product"):
        register_view(whole, name="story", label="story", plural="stories", fields=("nothing",))
    view = register_view(whole, name="story", label="story", plural="stories", fields=("notes",))
    assert [(field.name, field.fixed) for field in view.fields] == [("name", True), ("notes", False)]
    with pytest.raises(ImproperlyConfigured, match="Two kinds are called 'story'"):
        register_view(whole, name="story", label="story", plural="stories", fields=("price",))
