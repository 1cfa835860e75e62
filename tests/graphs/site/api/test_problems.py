import logging

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.test import Client
from rest_framework import exceptions

from graphs.api import graphs as views
from graphs.models import Graph
from graphs.site.access import Forbidden, NotFound
from graphs.site.api.problems import Problem, problem_of
from graphs.site.json_input import BadJSON
from tests.cast import signed_in
from tests.graphs.api.callers import post_json, problem, with_token

ABSENT = "/api/v1/graphs/absent"


@pytest.mark.parametrize("path", ["/api/", "/api/v1", "/api/v1/", "/api/v1/graph", "/api/v2/graphs", "/api/v1/graphs/"])
@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete"])
def test_it_answers_unknown_addresses(db: None, path: str, method: str) -> None:
    problem(getattr(Client(enforce_csrf_checks=True), method)(path), 404, "not_found")


def test_absent_and_foreign_look_the_same(alice: User, charlie: User, nba: Graph) -> None:
    stranger = with_token(charlie)
    for ending in ("", "/export"):
        absent = stranger.get(f"{ABSENT}{ending}")
        foreign = stranger.get(f"/api/v1/graphs/nba{ending}")
        elsewhere = stranger.get(f"/api/v1/graphs/nba{ending}", headers={"X-Workspace": "demo"})
        nowhere = stranger.get(f"/api/v1/graphs/nba{ending}", headers={"X-Workspace": "absent"})
        problem(foreign, 404, "not_found")
        assert absent.content == foreign.content == elsewhere.content == nowhere.content
        assert dict(absent.headers) == dict(foreign.headers) == dict(elsewhere.headers) == dict(nowhere.headers)


@pytest.mark.parametrize("key", ["a%00b", "x" * 101, "%ED%A0%80", "a%0Ab", "..", "%2e%2e%2f"])
def test_it_answers_impossible_keys_as_absent_ones(alice: User, key: str) -> None:
    answer = with_token(alice).get(f"/api/v1/graphs/{key}")
    assert problem(answer, 404, "not_found") == with_token(alice).get(ABSENT).json()


def test_it_answers_a_method_that_there_is_not(alice: User, nba: Graph) -> None:
    answer = with_token(alice).delete("/api/v1/graphs/nba")
    problem(answer, 405, "method_not_allowed")
    assert "GET" in answer.headers["Allow"]


def test_it_answers_a_kind_of_body_that_it_does_not_read(alice: User) -> None:
    of_form = Client().post("/api/v1/auth/token", {"username": "alice"})
    assert problem(of_form, 415, "unsupported_media_type")["detail"].endswith("Read here: application/json.")
    of_nothing = Client().post("/api/v1/auth/token", b"{}", content_type="")
    assert problem(of_nothing, 415, "unsupported_media_type")["detail"].startswith("Say in the header Content-Type")
    of_json = post_json(with_token(alice), "/api/v1/graphs/import", {})
    assert "multipart/form-data" in problem(of_json, 415, "unsupported_media_type")["detail"]


def test_it_answers_who_wants_html(alice: User) -> None:
    problem(with_token(alice).get("/api/v1/graphs", headers={"Accept": "text/html"}), 406, "not_acceptable")


@pytest.mark.parametrize(
    "body", [b"{", b"", b"\xff", b'{"username": "a", "username": "b"}', b'{"a": NaN}', b'{"a": "\\u0000"}', b"[" * 9999]
)
def test_it_answers_bad_json(db: None, body: bytes) -> None:
    code = "validation" if body == b"" else "bad_json"
    problem(post_json(Client(), "/api/v1/auth/token", body), 400, code)


def test_it_answers_a_body_that_is_too_big(db: None) -> None:
    problem(post_json(Client(), "/api/v1/auth/token", b'{"username": "' + b"a" * 3_000_000), 413, "too_big")


def test_it_tells_nothing_about_what_went_wrong_inside(
    alice: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def explode(*_args: object) -> None:
        raise RuntimeError("secret-canary in SELECT * FROM passwords")

    monkeypatch.setattr(views.listing, "matching", explode)
    with caplog.at_level(logging.ERROR):
        answer = with_token(alice).get("/api/v1/graphs")
    document = problem(answer, 500, "internal")
    assert b"canary" not in answer.content
    reference = document["instance"].removeprefix("urn:uuid:")
    assert reference in document["detail"]
    assert any(reference in record.getMessage() and record.exc_info for record in caplog.records)


def test_an_error_outside_of_the_views_is_told_alike(
    alice: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def explode(*_args: object) -> None:
        raise RuntimeError("secret-canary")

    monkeypatch.setattr("graphs.site.security_headers.SecurityHeadersMiddleware.process_response", explode)
    client = signed_in(alice)
    client.raise_request_exception = False
    answer = client.get("/api/v1/graphs")
    problem(answer, 500, "internal")
    assert b"canary" not in answer.content


def test_a_host_that_is_not_ours_is_refused(db: None) -> None:
    problem(Client().get("/api/v1/graphs", headers={"Host": "evil.example"}), 400, "bad_request")


@pytest.mark.parametrize(
    ("raised", "status", "code"),
    [
        (NotFound(), 404, "not_found"),
        (exceptions.NotFound("Invalid page."), 404, "not_found"),
        (Forbidden(), 403, "forbidden"),
        (PermissionDenied("inner workings"), 403, "forbidden"),
        (BadJSON("Not JSON."), 400, "bad_json"),
        (SuspiciousOperation("inner workings"), 400, "bad_request"),
        (RequestDataTooBig("inner workings"), 413, "too_big"),
        (exceptions.ParseError("Multipart form parse error"), 400, "bad_request"),
        (exceptions.Throttled(wait=2.5), 429, "throttled"),
        (Problem(409, "stale", "It moved on."), 409, "stale"),
        (KeyError("inner workings"), 500, "internal"),
    ],
)
def test_it_knows_what_to_tell(raised: Exception, status: int, code: str) -> None:
    found = problem_of(raised)
    assert (found.status, found.code) == (status, code)
    assert "inner workings" not in str(found.document())


def test_it_tells_fields_and_more(db: None) -> None:
    found = Problem(409, "decided", "Bob was first.", errors={"a": ["b"]}, extra={"decidedBy": "bob"})
    assert found.document() == {
        "type": "about:blank",
        "title": "Conflict",
        "status": 409,
        "detail": "Bob was first.",
        "code": "decided",
        "errors": {"a": ["b"]},
        "decidedBy": "bob",
    }


def test_it_keeps_the_fields_of_the_framework(db: None) -> None:
    found = problem_of(exceptions.ValidationError({"name": ["Too long."]}))
    assert found.errors == {"name": ["Too long."]}
    assert problem_of(exceptions.ValidationError("Wrong.")).errors == {"body": ["Wrong."]}
