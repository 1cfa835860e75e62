"""What comes past Django's middlewares has the headers that pages have."""

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from chat.concurrency.database import in_db
from graphs.models import Graph
from tests.chat.inprocess import Answer, Model, asked, request, run
from tests.chat.web.test_sse import conversation

pytestmark = pytest.mark.django_db(transaction=True)
STATIC = "/static/graphs/icon.svg"
PROTECTING = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}


def protects(answer: Answer, where: str) -> None:
    for name, value in PROTECTING.items():
        assert answer.headers.get(name) == value, (where, name)
    assert "camera=()" in answer.headers["permissions-policy"], where
    policy = answer.headers["content-security-policy"]
    for directive in ("default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"):
        assert directive in policy, where
    assert "access-control-allow-origin" not in answer.headers, where


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (STATIC, 200),
        ("/static/graphs/absent.js", 404),
        ("/static/../manage.py", 404),
        ("/favicon.ico", 302),
        ("//static/graphs/icon.svg", 404),
        ("/api/v1/streams/sse", 401),
        ("/api/v1/streams/sse?streams=absent", 401),
    ],
)
def test_files_redirects_and_refusals_protect_their_reader(path: str, status: int, nba: Graph) -> None:
    async def test() -> None:
        answer = await request("GET", path)
        assert answer.status == status
        protects(answer, path)

    run(test)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "FOO"])
def test_a_file_is_only_read(method: str, nba: Graph) -> None:
    async def test() -> None:
        for path in (STATIC, "/static/graphs/absent.js"):
            answer = await request(method, path)
            assert (answer.status, answer.headers["allow"], answer.body) == (405, "GET, HEAD", b"")
            protects(answer, path)
            assert answer.headers["cache-control"] == "private, no-store"
        assert (await request("GET", "/static/graphs/absent.js")).headers["cache-control"] == "private, no-store"
        assert "cache-control" not in (await request("HEAD", STATIC)).headers

    run(test)


def test_server_sent_events_do_too(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        stream = await in_db(conversation, alice)
        async with asked("GET", f"/api/v1/streams/sse?streams={stream}", alice) as answer:
            await answer.until(lambda each: each.body)
            assert answer.status == 200
            protects(answer, "server-sent events")
            assert answer.headers["cache-control"] == "no-cache"
        for refused in ("GET", "POST"):
            protects(await request(refused, "/api/v1/streams/sse?streams=absent", alice), refused)

    run(test)


def test_over_an_encrypted_connection_all_say_to_stay_with_it(alice: User, nba: Graph, settings: Settings) -> None:
    settings.SECURE_HSTS_SECONDS, settings.SECURE_PROXY_SSL_HEADER = 60, ("HTTP_X_FORWARDED_PROTO", "https")

    async def test() -> None:
        for path in (STATIC, "/api/v1/streams/sse"):
            encrypted = await request("GET", path, x_forwarded_proto="https")
            assert encrypted.headers["strict-transport-security"].startswith("max-age=60;"), path
            assert "strict-transport-security" not in (await request("GET", path)).headers

    run(test)
