"""The matrix of a folder in a real browser, watched for what the security policy blocks."""

import os
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page

from graphs.models import Folder
from tests.browser import Windows, sign_in
from tests.graphs.records.conftest import company, folder
from tests.graphs.records.test_folder_matrix import rated

__all__ = ["company", "folder"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_shot(windows: Windows, alice: User, folder: Folder, live_server: object, width: int, scheme: str) -> None:
    from tests.graphs.records.drawing.scenes import STATUSES, many
    import random

    r = random.Random(3)
    axes = {
        "valueAxes": [
            {"id": "gain", "name": "Savings in a year", "weight": 3},
            {"id": "reach", "name": "Reach", "weight": 1},
        ],
        "complexityAxes": [
            {"id": "data", "name": "Data that is missing", "weight": 2},
            {"id": "people", "name": "People to convince", "weight": 1},
        ],
    }
    folder.matrix_config = axes
    folder.save()
    from graphs.models import UseCase

    for index, mark in enumerate(many(int(os.environ.get("SHOT_N", "24")))):
        sc = lambda ids: [{"axisId": i, "rating": r.choice([1, 2, 3, 4, 5])} for i in ids]
        UseCase.objects.create(
            workspace=folder.workspace,
            folder=folder,
            status=STATUSES[index % 4],
            data={"name": mark.name, "valueScores": sc(["gain", "reach"]), "complexityScores": sc(["data", "people"])},
        )
    rated(folder, "Not rated yet", gain=None)
    context = windows.open(viewport={"width": width, "height": 900}, base_url=str(live_server), color_scheme=scheme)
    said = []
    context.on("console", lambda m: said.append(m.text))
    context.on("pageerror", lambda m: said.append(str(m)))
    sign_in(context.context, alice, str(live_server))
    context.goto(f"/folders/{folder.pk}/matrix/")
    context.wait_for_timeout(4000)
    print(said)
    context.screenshot(path=f"/tmp/k7lab/shot-{width}-{scheme}.png", full_page=True)
    if width == 1280 and scheme == "light":
        context.emulate_media(media="print")
        context.screenshot(path="/tmp/k7lab/shot-print.png", full_page=True)
