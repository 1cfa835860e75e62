"""Objects by their names, for a person."""

import pytest
from django.contrib.auth.models import User

from chat.models import Session, Stream
from graphs.models import Workspace
from graphs.objects import register
from graphs.objects.actions import ChangeRefused, DeleteObject
from graphs.objects.headers import object_for, searched_by
from graphs.objects.planning import plan
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from tests.registered import forget, product, shops
from tests.shop.models import Shop


def test_a_search_looks_at_no_other_part_of_a_json_column(demo_workspace: Workspace, alice: User) -> None:
    stream = Stream.objects.create(name="s", workspace=demo_workspace)
    usage = {"note": "Shown", "nested": {"deep": "Deeper"}, "secret": "Hidden"}
    row = Session.objects.create(workspace=demo_workspace, owner=alice, stream=stream, title="T", usage=usage)
    kind = register(
        Session, name="talk", title="title", workspace="workspace", fields=("title", "usage.note", "usage.nested.deep")
    )
    try:
        found = {text: list(Session.objects.filter(searched_by(kind, text))) for text in ("shown", "deeper", "hidden")}
    finally:
        forget(kind)
    assert found == {"shown": [row], "deeper": [row], "hidden": []}


def test_what_a_deletion_would_take_along_stays(demo_workspace: Workspace, alice: User) -> None:
    with shops(parent="") as kind:
        lamp = product(Shop.objects.create(workspace=demo_workspace, name="Corner"))
        shop = Ref("shop", str(lamp.shop_id))
        around, delete = object_for(member_of(alice), shop), DeleteObject.model_validate({"object": str(shop)})
        with pytest.raises(ChangeRefused, match=f"still used by: {kind.name}:{lamp.pk}"):
            plan(around, [delete])
        lamp.delete()
        assert plan(around, [delete]).operations
