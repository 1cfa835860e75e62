"""graphs/objects/ref_body.py: whoever names an object in a request does it with one type."""

from collections.abc import Iterator
from importlib import import_module

import pytest

from graphs.api.changes import SeenBody
from graphs.api.rollback_json import NamedObject
from graphs.objects.ref_body import RefBody
from graphs.objects.refs import Ref
from graphs.site.api.bodies import Body


def every_body(of: type[Body] = Body) -> Iterator[type[Body]]:
    for each in of.__subclasses__():
        yield each
        yield from every_body(each)


def test_a_request_names_objects_by_one_type() -> None:
    import_module("config.urls")
    import_module("chat.sockets.frames")
    import_module("chat.sockets.graph_frames")
    named = {each for each in every_body() if {field.alias for field in each.model_fields.values()} >= {"type", "id"}}
    assert {SeenBody, NamedObject} <= named
    assert {each.__name__ for each in named if not issubclass(each, RefBody)} == set()


@pytest.mark.parametrize(
    ("body", "ref"),
    [
        (RefBody(type="graph", id="nba"), Ref("graph", "nba")),
        (SeenBody(type="node", id="fetch-api", version=1), Ref("node", "fetch-api")),
        (NamedObject(type="", id=""), Ref("", "")),
    ],
)
def test_it_is_a_ref(body: RefBody, ref: Ref) -> None:
    assert body.ref == ref
