import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from graphs.models import Workspace
from tests.cast import PASSWORD, signed_in

pytestmark = pytest.mark.django_db

ADD = "/admin/graphs/workspace/add/"
NO_MEMBERS = {f"memberships-{name}": "0" for name in ("TOTAL_FORMS", "INITIAL_FORMS")}


def staff(settings: Settings) -> Client:
    settings.LIMIT_WRITES = "1/hour"
    return signed_in(User.objects.create_superuser("root", password=PASSWORD))


def test_staff_who_write_too_much_have_to_wait(settings: Settings) -> None:
    here = staff(settings)
    assert here.post(ADD, {"name": "First", "slug": "first", **NO_MEMBERS}).status_code == 302
    refused = here.post(ADD, {"name": "Second", "slug": "second", **NO_MEMBERS})
    assert (refused.status_code, int(refused.headers["Retry-After"]) > 0) == (429, True)
    assert "Too many requests." in refused.content.decode()
    assert not Workspace.objects.filter(slug="second").exists()


def test_reading_and_signing_in_are_not_counted(settings: Settings) -> None:
    here = staff(settings)
    for _ in range(3):
        assert here.get(ADD).status_code == 200
        assert Client().post("/admin/login/", {"username": "nobody", "password": "wrong"}).status_code == 200
    assert here.post(ADD, {"name": "First", "slug": "first", **NO_MEMBERS}).status_code == 302
