"""What a web process gives out beside pages and API: its static files, and nothing else of the checkout."""

import http.client
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from graphs.models import Graph
from graphs.site.api import tokens
from tests.web_process import WebProcess, web_processes

pytestmark = [pytest.mark.processes, pytest.mark.django_db(transaction=True)]

ROOT = Path(__file__).resolve().parent.parent.parent
FILE = "/static/graphs/requests.js"


@pytest.fixture
def web(alice: User, nba: Graph) -> Iterator[WebProcess]:
    with web_processes() as [process]:
        yield process
        assert "Traceback" not in process.log()


def ask(web: WebProcess, path: str, method: str = "GET", **headers: str) -> tuple[int, bytes]:
    """The address goes as it is: `..` and what is encoded in it, too."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    with closing(http.client.HTTPConnection("127.0.0.1", web.port, timeout=60)) as connection:
        connection.request(method, path, headers=named)
        answer = connection.getresponse()
        return answer.status, answer.read()


def test_nothing_of_the_checkout_is_given_out(web: WebProcess) -> None:
    assert ask(web, FILE) == (200, (ROOT / "graphs" / "static" / "graphs" / "requests.js").read_bytes())
    inside = [".git/HEAD", ".git/config", ".env", ".data/secret_key", "manage.py", "config/settings.py", "Makefile"]
    ways = ["/", "/static/", "/static/../", "/static/..%2f", "/static/graphs/../../../", "/static/%2e%2e/", "/static//"]
    for path in [f"{way}{name}" for way in ways for name in inside] + [f"/static/{ROOT}/manage.py", f"{FILE}.map"]:
        assert ask(web, path)[0] == 404, path


def test_files_say_what_they_are_and_how_they_are_written(web: WebProcess) -> None:
    kinds = {
        FILE: "text/javascript; charset=utf-8",
        "/static/graphs/base.css": "text/css; charset=utf-8",
        "/static/graphs/icon.svg": "image/svg+xml; charset=utf-8",
    }
    for path, kind in kinds.items():
        with closing(http.client.HTTPConnection("127.0.0.1", web.port, timeout=60)) as connection:
            connection.request("GET", path)
            assert connection.getresponse().headers["Content-Type"] == kind


def test_no_folder_is_listed(web: WebProcess) -> None:
    for path in ("/static/", "/static", "/static/graphs/", "/static/graphs", "/static/chat/widget/", "/static/admin/"):
        status, body = ask(web, path)
        assert status == 404, path
        assert b"requests.js" not in body, path


def test_trace_repeats_nothing(web: WebProcess) -> None:
    token = tokens.issue(User.objects.get(username="alice")).access
    for path in ("/", "/healthz", "/api/v1/graphs", "/accounts/login/", "/absent/", FILE, "/api/v1/streams/sse"):
        _status, body = ask(web, path, "TRACE", X_Canary="canary-of-a-header", Authorization=f"Bearer {token}")
        assert b"canary" not in body, path
        assert token.encode() not in body, path


def test_a_parameter_is_read_from_its_place_alone(web: WebProcess) -> None:
    """The last one of a name counts; a cookie or a header of the name does not stand in for it."""
    bearer = {"Authorization": f"Bearer {tokens.issue(User.objects.get(username='alice')).access}"}
    assert ask(web, "/api/v1/graphs?limit=0&limit=1", **bearer)[0] == 200
    assert ask(web, "/api/v1/graphs?limit=1&limit=0", **bearer)[0] == 400
    assert ask(web, "/api/v1/graphs", Cookie="limit=0", limit="0", **bearer)[0] == 200
    assert ask(web, "/api/v1/graphs?workspace=demo&workspace=other", **bearer)[0] == 404
    assert ask(web, "/api/v1/graphs?workspace=other&workspace=demo", **bearer)[0] == 200
