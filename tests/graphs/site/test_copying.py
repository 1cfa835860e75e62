import json

import pytest
from django.db import DataError, connection, models, transaction
from django.test.utils import isolate_apps

from graphs.models import Graph, Node, Object
from graphs.site.copying import copy_rows
from graphs.site.counted_keys import new_ids

AWKWARD = ["\t", "a\nb\r\n", "\\", "\\N", "\\.", "{}", "é😀", "'\"", "", " x "]


def test_texts_json_and_nulls_arrive_as_they_were_given(nba: Graph) -> None:
    sheet = nba.sheets.get()
    ids = new_ids(Node, len(AWKWARD))
    fixed = {"graph_id": nba.pk, "sheet_id": sheet.pk, "name": "", "type": "step", "handles": "{}"}
    rows = [
        {"id": id_, "key": f"k{id_}", "process": text, "data": json.dumps({text: [text, 1, None]})}
        | {**fixed, "pos_x": 0.1, "pos_y": -2, "width": None, "version": 1}
        for id_, text in zip(ids, AWKWARD, strict=True)
    ]
    copy_rows(Node, list(rows[0]), (list(row.values()) for row in rows))
    stored = Node.objects.in_bulk(ids)
    assert [stored[id_].process for id_ in ids] == AWKWARD
    assert [stored[id_].data for id_ in ids] == [{text: [text, 1, None]} for text in AWKWARD]
    assert {(row.pos_x, row.pos_y, row.width) for row in stored.values()} == {(0.1, -2.0, None)}


def test_ids_are_given_once(nba: Graph) -> None:
    one, other = new_ids(Node, 3), new_ids(Node, 2)
    assert sorted({*one, *other}) == [*one, *other]


def test_what_the_database_refuses_is_an_error_of_django(nba: Graph) -> None:
    with pytest.raises(DataError), transaction.atomic():
        copy_rows(Object, ["key"], [["x" * 101]])


@pytest.mark.django_db
@isolate_apps("tests.shop")
def test_keys_of_a_model_that_calls_them_otherwise() -> None:
    class Coupon(models.Model):
        number = models.AutoField(primary_key=True)

        class Meta:
            app_label = "shop"

    with connection.schema_editor() as editor:
        editor.create_model(Coupon)
    assert new_ids(Coupon, 2) == [1, 2]
