"""Every door that writes is limited, each person by themselves."""

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings
from rest_framework.views import APIView

from graphs.models import Graph, Role, Workspace
from graphs.site.api.throttles import WriteThrottle
from tests.cast import member, signed_in
from tests.doors.addresses import api_views
from tests.graphs.api.callers import post_json, problem, with_token

pytestmark = pytest.mark.django_db

#: What counts by another name, or writes nothing.
EXEMPT = {
    "MessagesView": "LIMIT_MESSAGES",
    "ChangesView": "LIMIT_CHANGES",
    "NewObjectView": "LIMIT_CHANGES",
    "ObjectChangesView": "LIMIT_CHANGES",
    "ObjectCopyView": "LIMIT_CHANGES",
    "LinksView": "reads",
}


def writing_views() -> list[type[APIView]]:
    return [view for view in api_views() if {"post", "put", "patch", "delete"} & {*dir(view)}]


def test_every_door_that_writes_has_a_limit() -> None:
    without = {view.__name__ for view in writing_views() if WriteThrottle not in view.throttle_classes}
    assert without == EXEMPT.keys()


def rolls_back(client: Client) -> int:
    body = {"scope": {"kind": "modification", "id": "1"}, "preview": True}
    return post_json(client, "/api/v1/history/rollback", body).status_code


def test_the_limit_is_that_of_each_person(
    alice: User, nba: Graph, demo_workspace: Workspace, settings: Settings
) -> None:
    settings.LIMIT_ROLLBACKS = "2/hour"
    mine, doras = with_token(alice), with_token(member("dora", demo_workspace, Role.EDITOR))
    assert 429 not in [rolls_back(mine), rolls_back(mine)]
    refused = post_json(mine, "/api/v1/history/rollback", {})
    assert 0 < int(refused.headers["Retry-After"]) <= 3600
    assert "Too many rollbacks" in problem(refused, 429, "throttled")["detail"]
    assert rolls_back(doras) != 429
    assert mine.get("/api/v1/graphs").status_code == 200, "who only reads is not counted"


def test_imports_are_counted_together_at_both_doors(alice: User, nba: Graph, settings: Settings) -> None:
    settings.LIMIT_IMPORTS = "2/hour"
    file = b"{}"

    def by_page() -> int:
        return signed_in(alice).post("/import/", {"file": SimpleUploadedFile("a.json", file)}).status_code

    def by_api() -> int:
        upload = {"file": SimpleUploadedFile("a.json", file)}
        return with_token(alice).post("/api/v1/graphs/import", upload).status_code

    assert [by_page(), by_api(), by_page(), by_api()] == [400, 400, 429, 429]


@pytest.mark.parametrize("page", ["/import/", "/objects/usecase/import/"])
def test_a_page_of_imports_says_when_to_come_again(alice: User, settings: Settings, page: str) -> None:
    settings.LIMIT_IMPORTS = "1/hour"
    client = signed_in(alice)
    client.post(page, {})
    refused = client.post(page, {})
    assert (refused.status_code, int(refused["Retry-After"]) > 0) == (429, True)
    assert client.get(page).status_code == 200
