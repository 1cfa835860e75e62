import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from graphs.models import Graph
from tests.cast import PASSWORD, signed_in

ROOT = Path(__file__).resolve().parent.parent
ADDRESSES = [
    "/",
    "/accounts/login/",
    "/graphs/nba/",
    "/api/v1/graphs",
    "/api/v1/absent",
    "/absent/",
    "/healthz",
    "/admin/",
]


def directives(policy: str) -> dict[str, list[str]]:
    return {name: values for name, *values in (part.split() for part in policy.split(";"))}


@pytest.mark.parametrize("address", ADDRESSES)
def test_every_answer_protects_its_reader(alice: User, nba: Graph, address: str) -> None:
    protects(signed_in(alice).get(address).headers)


@pytest.mark.parametrize("address", ["/", "/api/v1/graphs", "/healthz", "/metrics", "/accounts/login/"])
def test_so_do_answers_that_a_middleware_gives(alice: User, address: str) -> None:
    """Also where the first of them refuses: of another host, and as the page of another address."""
    for client in (Client(), signed_in(alice)):
        for method in ("GET", "POST", "FOO"):
            refused = client.generic(method, address, headers={"host": "evil.example"})
            assert refused.status_code == 400
            protects(refused.headers)
    moved = Client().get("/inbox")
    assert (moved.status_code, moved.headers["Location"]) == (301, "/inbox/")
    protects(moved.headers)


@pytest.mark.parametrize("address", ["/healthz", "/readyz", "/metrics"])
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "FOO"])
def test_what_monitoring_reads_takes_nothing(settings: Any, address: str, method: str) -> None:
    """It says so itself, not that a form was not ours."""
    settings.METRICS_TOKEN = "token-of-a-test"
    refused = Client(enforce_csrf_checks=True).generic(
        method, address, headers={"authorization": "Bearer token-of-a-test"}
    )
    assert (refused.status_code, refused.headers["Allow"]) == (405, "GET, HEAD")
    protects(refused.headers)


def protects(headers: Mapping[str, str]) -> None:
    policy = directives(headers["Content-Security-Policy"])
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == ["'none'"]
    for name in ("script-src", "style-src", "connect-src", "form-action"):
        assert policy[name][0] == "'self'"
        assert all(value.startswith("'nonce-") for value in policy[name][1:]), policy[name]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "camera=()" in headers["Permissions-Policy"]
    assert any(word in headers["Cache-Control"] for word in ("no-store", "no-cache"))
    assert "Access-Control-Allow-Origin" not in headers


def test_cookies_are_kept_from_scripts_and_other_sites(alice: User) -> None:
    client = Client()
    client.get("/accounts/login/")
    client.post("/accounts/login/", {"username": "alice", "password": PASSWORD})
    assert client.cookies["sessionid"]["httponly"]
    assert client.cookies["sessionid"]["samesite"] == client.cookies["csrftoken"]["samesite"] == "Lax"


def test_the_cookie_of_the_language_is_kept_as_the_others() -> None:
    client = Client()
    client.post("/i18n/setlang/", {"language": "fr"})
    assert client.cookies["django_language"]["httponly"]
    assert client.cookies["django_language"]["samesite"] == "Lax"


def in_production(code: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Runs code with the settings of a site behind https, and with more variables."""
    environment = {
        name: os.environ[name] for name in ("PATH", "HOME", "DATABASE_URL", "REDIS_URL") if name in os.environ
    } | {
        "HTTPS": "true",
        "SECRET_KEY": "x0-Random-Looking-Key-Of-More-Than-Fifty-Characters-1234567890abc",
        "ALLOWED_HOSTS": "countersign.example",
        "CSRF_TRUSTED_ORIGINS": "https://countersign.example",
        "DJANGO_SETTINGS_MODULE": "config.settings",
        **more,
    }
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )


def test_production_settings_leave_nothing_to_complain_about() -> None:
    done = in_production(
        "from django.core.management import execute_from_command_line as run;"
        "run(['manage.py', 'check', '--deploy', '--fail-level', 'DEBUG'])"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no issues" in done.stdout


def test_production_is_only_served_encrypted() -> None:
    done = in_production("""
import django; django.setup()
from django.test import Client
site = {"HTTP_HOST": "countersign.example"}
plain = Client().get("/accounts/login/", **site)
assert (plain.status_code, plain["Location"]) == (301, "https://countersign.example/accounts/login/"), plain
assert plain["X-Frame-Options"] == "DENY", plain
foreign = Client().get("/accounts/login/", HTTP_HOST="evil.example")
assert foreign.status_code == 400
for name in ("X-Content-Type-Options", "Referrer-Policy", "X-Frame-Options", "Content-Security-Policy"):
    assert name in foreign, name
safe = Client().get("/accounts/login/", HTTP_X_FORWARDED_PROTO="https", **site)
assert safe.status_code == 200
assert "max-age=31536000" in safe["Strict-Transport-Security"]
assert safe.cookies["csrftoken"]["secure"]
assert Client().get("/healthz", **site).status_code == 200
chooser = Client()
chooser.post("/i18n/setlang/", {"language": "fr"}, HTTP_X_FORWARDED_PROTO="https", **site)
assert chooser.cookies["django_language"]["secure"]
""")
    assert done.returncode == 0, done.stderr


def test_cookies_are_of_this_host_alone_where_that_is_asked_for() -> None:
    """A browser takes a cookie of such a name only with `Secure`, for all paths and without `Domain`."""
    done = in_production(
        """
import django; django.setup()
from django.http import HttpResponse
from django.test import Client
from chat.access import identity
from graphs.site.api.openapi import CookieScheme
from graphs.site.known_device import KnownDeviceMiddleware
https = {"HTTP_HOST": "countersign.example", "HTTP_X_FORWARDED_PROTO": "https"}
client = Client()
request = client.get("/accounts/login/", **https).wsgi_request
client.post("/i18n/setlang/", {"language": "fr"}, **https)
request._signed_in_as = "alice"
client.cookies.update(KnownDeviceMiddleware(lambda _: HttpResponse()).process_response(request, HttpResponse()).cookies)
assert client.cookies.keys() == {"__Host-csrftoken", "__Host-django_language", "__Host-known-device"}, client.cookies
for cookie in client.cookies.values():
    assert (cookie["secure"], cookie["path"], cookie["domain"]) == (True, "/", ""), cookie
assert CookieScheme(None).get_security_definition(None)["name"] == "__Host-sessionid"
""",
        HOST_COOKIES="true",
    )
    assert done.returncode == 0, done.stderr
