import json

import pytest
from django.contrib.auth.models import User
from django.db import connection

from chat.models import Call, Message, Round, Session, Stream
from graphs.models import Graph, NodeType, Workspace
from graphs.objects.headers import existing, statement_by_key
from graphs.objects.refs import Ref
from graphs.site import row_store
from tests.seeded import World, world


@pytest.fixture
def here(db: None) -> World:
    here = world()
    stream = Stream.objects.create(workspace=here.alice.workspace)
    session = Session.objects.create(workspace=here.alice.workspace, owner=here.alice.user, stream=stream)
    rounds = [Round("Hello", calls=(Call("c1", "read_graph_overview", {"a": [1]}),))]
    Message.objects.create(session=session, sequence=1, role=Message.Role.ASSISTANT, rounds=rounds)
    return here


@pytest.mark.parametrize("model", [User, Workspace, Session, Message])
def test_a_row_is_read_as_the_orm_reads_it(here: World, model: type) -> None:
    statement = f"SELECT {row_store.columns(model)}, 1, 'beside' FROM {model._meta.db_table} ORDER BY id LIMIT 3"
    read = row_store.read(model, statement, [])
    assert read
    assert [(row.__dict__.keys(), beside) for row, beside in read] == [
        (row.__dict__.keys(), (1, "beside")) for row in model._default_manager.order_by("pk")[:3]
    ]
    for (row, _beside), expected in zip(read, model._default_manager.order_by("pk")[:3], strict=True):
        assert {**row.__dict__, "_state": None} == {**expected.__dict__, "_state": None}
        assert (row._state.db, row._state.adding) == (expected._state.db, expected._state.adding)


@pytest.mark.parametrize("model", [Graph, NodeType])
def test_an_object_is_read_with_its_header(here: World, model: type) -> None:
    expected = model._default_manager.order_by("pk").first()
    ((row, beside),) = row_store.read(model, statement_by_key(model), [expected.workspace_id, expected.key])
    assert beside == ()
    assert {**row.__dict__, "_state": None} == {**expected.__dict__, "_state": None}
    assert existing(expected.workspace_id, Ref(expected.type, "absent")) is None


@pytest.mark.django_db
def test_texts_are_an_array_as_they_are() -> None:
    texts = ["plain", "", "NULL", 'a "quoted" one', "back\\slash", "{braces}, commas", "two\nlines", "été", "\\N"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_json(%s::text[])::text", [row_store.as_array(texts)])
        assert json.loads(cursor.fetchone()[0]) == texts
        cursor.execute("SELECT cardinality(%s::text[])", [row_store.as_array([])])
        assert cursor.fetchone() == (0,)
