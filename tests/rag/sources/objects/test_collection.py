"""Vectors of objects follow what their rows say, whoever wrote it, and need nobody to have spoken of them."""

from collections.abc import Callable, Iterator, Sequence
from io import StringIO
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.db import connection
from django.db.models import QuerySet
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from graphs.history import changes, outside
from graphs.models import Object, Revision, Workspace
from graphs.objects import register
from graphs.objects.headers import object_for
from graphs.objects.kinds import KINDS, Kind
from graphs.objects.model_values import record_of
from graphs.objects.operations import Update
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from graphs.site.accounts import Account
from rag.embeddings import embedding_models, metering
from rag.embeddings.collections import waiting
from rag.embeddings.embedder import Embedded, EmbeddingFailed, Purpose
from rag.embeddings.embedding_models import LOCAL_MODEL
from rag.embeddings.local import LocalEmbedder
from rag.embeddings.updating import text_hash
from rag.models import EmbeddedCollection, Embedding, EmbeddingFailure
from rag.sources.objects.collection import collection_of, object_text
from rag.tasks import look_at_objects
from tests.rag.embeddings.steps import BECAUSE, work
from tests.registered import forget, product
from tests.shop.models import Product, Shop

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lamp(shop: Shop) -> Product:
    return product(shop, "Lamp", notes="Stands beside the bed")


def names(workspace: Workspace) -> set[str]:
    """The names of the products whose vectors are of what they say now."""
    rows = Embedding.objects.filter(collection=collection_of(workspace.pk), target_type="product")
    found = set()
    for row in rows:
        of = Product.objects.filter(pk=Object.objects.get(pk=row.target_id).key).first()
        if of is not None and bytes(row.content_hash) == text_hash(
            object_text(KINDS["product"], record_of(KINDS["product"], of))
        ):
            found.add(of.name)
    return found


def test_rows_that_nobody_has_spoken_of_are_embedded_and_get_no_history(
    lamp: Product, demo_workspace: Workspace, other_workspace: Workspace
) -> None:
    foreign = product(Shop.objects.create(workspace=other_workspace, name="Other"), "Hammer")
    work()
    assert (names(demo_workspace), names(other_workspace)) == ({"Lamp"}, {"Hammer"})
    assert {each.key for each in Object.objects.filter(type="product")} == {str(lamp.pk), str(foreign.pk)}
    assert not Revision.objects.exists()
    assert waiting(LOCAL_MODEL) == []


def test_a_change_is_embedded_alone(lamp: Product, demo_workspace: Workspace, alice: User, kind: Kind) -> None:
    product(lamp.shop, "Hammer")
    work()
    before = set(Embedding.objects.values_list("pk", flat=True))
    header = object_for(member_of(alice), Ref("product", str(lamp.pk)))
    outside.notice(header)
    item = Ref("product", str(lamp.pk))
    changes.apply(header, [Update(item, {"name": "Lamp"}, {"name": "Lantern"})], BECAUSE)
    work()
    assert names(demo_workspace) == {"Lantern", "Hammer"}
    assert len(before & set(Embedding.objects.values_list("pk", flat=True))) == len(before) - 1


def test_what_others_save_is_embedded_whether_it_has_a_history_or_not(lamp: Product, demo_workspace: Workspace) -> None:
    work()
    lamp.name = "Lantern"
    lamp.save()
    assert [each.name for each in waiting(LOCAL_MODEL)] == [collection_of(demo_workspace.pk)]
    work()
    assert names(demo_workspace) == {"Lantern"}
    assert not Revision.objects.exists()


def test_a_change_without_a_signal_is_found_when_everything_is_looked_at(
    lamp: Product, demo_workspace: Workspace
) -> None:
    hammer = product(lamp.shop, "Hammer")
    work()
    Product.objects.filter(pk=lamp.pk).update(name="Lantern")
    Product.objects.filter(pk=hammer.pk)._raw_delete(using=connection.alias)  # type: ignore[attr-defined]
    work()
    assert names(demo_workspace) == set()
    look_at_objects()
    work()
    assert names(demo_workspace) == {"Lantern"}
    assert Embedding.objects.filter(target_type="product").count() == 1


def test_what_is_deleted_takes_its_vector_along(lamp: Product, demo_workspace: Workspace) -> None:
    work()
    Object.objects.filter(type="product").delete()
    assert not Embedding.objects.filter(target_type="product").exists()
    demo_workspace.delete()
    work()
    assert not EmbeddedCollection.objects.exists()


@pytest.fixture
def other() -> Iterator[psycopg.Connection]:
    """Somebody else's connection."""
    with psycopg.connect(**connection.get_connection_params()) as opened:
        yield opened


def test_a_change_that_is_committed_after_a_later_one_is_not_missed(
    lamp: Product, demo_workspace: Workspace, other: psycopg.Connection
) -> None:
    hammer = product(lamp.shop, "Hammer")
    work()
    other.execute("UPDATE shop_product SET name = 'Lantern' WHERE id = %s", [lamp.pk])
    other.execute("UPDATE graphs_object SET updated_at = statement_timestamp() WHERE key = %s", [str(lamp.pk)])
    hammer.name = "Mallet"
    hammer.save()
    work()
    assert names(demo_workspace) == {"Lamp", "Mallet"}
    other.commit()
    work()
    assert names(demo_workspace) == {"Lantern", "Mallet"}
    assert waiting(LOCAL_MODEL) == []


def test_the_command_embeds_objects_too(lamp: Product, demo_workspace: Workspace) -> None:
    out = StringIO()
    call_command("embed_nodes", stdout=out)
    assert names(demo_workspace) == {"Lamp"}
    assert "2 of 2 texts" in out.getvalue()  # the lamp and its shop


def test_a_text_that_the_model_refuses_is_named_in_the_queue(
    lamp: Product, admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed = LocalEmbedder.embed

    def refusing(self: LocalEmbedder, texts: Sequence[str], purpose: Purpose) -> Embedded:
        if any("lamp" in text for text in texts):
            raise EmbeddingFailed("content_filter")
        return embed(self, texts, purpose)

    with monkeypatch.context() as patched:
        patched.setattr(LocalEmbedder, "embed", refusing)
        work()
    assert [row.target_type for row in Embedding.objects.all()] == ["shop"]
    page = admin_client.get(reverse("admin:rag_embeddingfailure_changelist")).content.decode()
    assert f"product {lamp.pk}" in page
    assert str(lamp.shop.workspace) in page
    EmbeddingFailure.objects.update(retry_at=timezone.now())
    work()
    assert names(lamp.shop.workspace) == {"Lamp"}
    assert not EmbeddingFailure.objects.exists()


def test_objects_come_along_from_one_model_to_another(
    lamp: Product, demo_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    work()
    other = LocalEmbedder("local/other")
    monkeypatch.setattr(embedding_models, "by_name", lambda _name: other)
    call_command("migrate_embeddings", "--to", other.name, "--drop-old", stdout=StringIO())
    assert set(Embedding.objects.values_list("model", "target_type")) == {(other.name, "product"), (other.name, "shop")}
    assert waiting(other.name) == []


def test_the_workspace_pays_for_its_objects(
    lamp: Product, demo_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid: list[Account] = []

    def meter(_name: str, _texts: Sequence[str], _purpose: Purpose, account: Account, ask: Any) -> Embedded:
        paid.append(account)
        return ask()

    monkeypatch.setattr(metering, "_meter", meter)
    work()
    assert set(paid) == {Account(demo_workspace.pk)}


def raises(workspace: Workspace) -> QuerySet[Group]:
    raise LookupError(workspace.slug)


def is_refused_by_the_database(_workspace: Workspace) -> QuerySet[Group]:
    return Group.objects.extra(where=["no_such_column = 1"])


@pytest.mark.parametrize("broken", [raises, is_refused_by_the_database])
def test_a_kind_whose_rows_cannot_be_found_stops_no_other(
    broken: Callable[[Workspace], QuerySet[Group]], lamp: Product, demo_workspace: Workspace
) -> None:
    Group.objects.create(name="Staff")
    kind = register(Group, title="name", workspace=broken)
    try:
        work()
    finally:
        forget(kind)
    assert names(demo_workspace) == {"Lamp"}
