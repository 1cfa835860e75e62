from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import get_resolver
from django.utils.translation import get_language
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema

from graphs.site.api import openapi
from tests.graphs.api.callers import api_views, problem, with_token


@pytest.fixture
def schema(db: None, capfd: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    printed = capfd.readouterr().err
    assert not [line for line in printed.splitlines() if "Warning" in line or "Error" in line], printed
    return found


def test_it_is_valid(schema: dict[str, Any]) -> None:
    validate_schema(schema)
    assert schema["openapi"] == "3.1.0"


def test_it_holds_every_endpoint(schema: dict[str, Any]) -> None:
    described = {path.replace("{", "<").replace("}", ">") for path in schema["paths"]}
    for address, _view in api_views(get_resolver()):
        plain = "/" + "/".join(
            f"<{part[1:-1].split(':')[-1]}>" if part.startswith("<") else part for part in address.split("/")
        )
        assert plain in described or plain == "/api/v1/schema", plain


def test_every_operation_says_who_may_and_what_can_go_wrong(schema: dict[str, Any]) -> None:
    for path, item in schema["paths"].items():
        for method, operation in item.items():
            for status in ("400", "401", "500", "503"):
                assert operation["responses"][status] == {"$ref": "#/components/responses/Problem"}, (method, path)
            assert "default" not in operation["responses"], (
                "every status is named, so that tests find those that are not"
            )
            if not path.startswith("/api/v1/auth/"):
                assert {"bearer": []} in operation["security"], (method, path)
                assert {"cookie": []} in operation["security"], (method, path)
                assert {"$ref": "#/components/parameters/Workspace"} in operation["parameters"], (method, path)


def test_it_is_made_once_for_each_language(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    make = SchemaGenerator.get_schema

    def counted(generator: SchemaGenerator, *args: Any, **more: Any) -> Any:
        made.append(get_language())
        return make(generator, *args, **more)

    monkeypatch.setattr(SchemaGenerator, "get_schema", counted)
    monkeypatch.setattr(openapi, "_made", {})
    client = with_token(alice)
    answers = [
        client.get(f"/api/v1/schema?{query}", headers={"Accept-Language": language}).content
        for query, language in (("", "en"), ("", "fr"), ("lang=fr", "en"), ("lang=nowhere", "en"), ("version=9", "fr"))
    ]
    assert made == ["en", "fr"]
    assert answers[0] == answers[3]
    assert answers[1] == answers[2] == answers[4]


def test_it_is_given_to_members(alice: User) -> None:
    assert with_token(alice).get("/api/v1/schema").json()["info"]["title"] == "Countersign"
    problem(Client().get("/api/v1/schema"), 401, "not_authenticated")
