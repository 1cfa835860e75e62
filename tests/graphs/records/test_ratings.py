"""A rating that is written as 3.0 is 3 at every door, and 3.5 is none. Pages ask as programs do."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from graphs.models import Folder, UseCase
from graphs.objects.actions import ChangeRefused
from graphs.objects.headers import existing
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from tests.graphs.api.callers import post_json
from tests.graphs.records.asking import create, name_of, update
from tests.graphs.tables.files import send, xlsx
from tests.proposed import waiting

pytestmark = pytest.mark.django_db(transaction=True)

#: What a door is given, and what it answers: a sentence where it refuses, else "".
Door = Callable[[Client, User, UseCase, float], str]


def scores(rating: float) -> list[dict[str, Any]]:
    return [{"axisId": "gain", "rating": rating}]


def refusal(answer: Any) -> str:
    return "" if answer.status_code in (200, 201) else answer.content.decode()


def by_change(client: Client, _user: User, row: UseCase, rating: float) -> str:
    return refusal(update(client, row, **{"data.valueScores": scores(rating)}))


def by_creation(client: Client, _user: User, row: UseCase, rating: float) -> str:
    answer = create(client, "usecase", row.folder, **{"data.name": "New", "data.valueScores": scores(rating)})
    return refusal(answer)


def by_csv(client: Client, _user: User, row: UseCase, rating: float) -> str:
    file = io.StringIO()
    csv.writer(file).writerows([["id", "data.valueScores"], [str(row.pk), json.dumps(scores(rating))]])
    return refusal(send(client, file.getvalue(), "usecase"))


def by_xlsx(client: Client, _user: User, row: UseCase, rating: float) -> str:
    rows = [["id", "data.valueScores"], [str(row.pk), json.dumps(scores(rating))]]
    return refusal(send(client, xlsx(rows), "usecase"))


def by_model(client: Client, user: User, row: UseCase, rating: float) -> str:
    around = existing(member_of(user).workspace.pk, Ref.parse(name_of(row)))
    assert around is not None
    updates = {"data.valueScores": scores(rating)}
    try:
        (proposal,) = waiting(user, around, ("update_object", {"object": name_of(row), "updates": updates}))
    except ChangeRefused as refused:
        return " ".join(refused.problems)
    return refusal(post_json(client, f"/api/v1/proposals/{proposal.pk}/decide", {"approved": True}))


DOORS: list[Door] = [by_change, by_creation, by_csv, by_xlsx, by_model]


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_a_whole_rating_is_one_however_it_is_written(client: Client, alice: User, picking: UseCase, door: Door) -> None:
    assert door(client, alice, picking, 3.0) == ""
    rating = UseCase.objects.latest("updated_at").data["valueScores"][0]["rating"]
    assert (rating, type(rating)) == (3, int)
    assert "This must be a whole number." in door(client, alice, picking, 3.5)


def test_so_is_that_of_a_level(client: Client, folder: Folder) -> None:
    axes = [{"id": "gain", "name": "Gain", "levels": [{"rating": 3.0, "points": 8.0}]}]
    preview = f"/api/v1/folders/{folder.pk}/matrix/preview"
    assert refusal(post_json(client, preview, {"matrixConfig": {"valueAxes": axes}})) == ""
    assert refusal(update(client, folder, **{"matrix_config.valueAxes": axes})) == ""
    folder.refresh_from_db()
    assert json.dumps(folder.matrix_config["valueAxes"][0]["levels"]) == '[{"points": 8, "rating": 3}]'
