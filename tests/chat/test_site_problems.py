"""What cannot work for want of a setting is said at start and to administrators, and to nobody else."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils.translation import override
from pytest_django import Settings

from chat import checks
from graphs.models import Membership, Role, Workspace

pytestmark = pytest.mark.django_db

WRONG = [
    ({"LLM_PROVIDER": "nobody"}, {}, "LLM_PROVIDER is 'nobody', and there is no such provider"),
    ({"LLM_PROVIDER": "openai"}, {}, "needs a key: set OPENAI_API_KEY"),
    ({"LLM_PROVIDER": "custom"}, {"CUSTOM_MODEL": "m"}, "CUSTOM_BASE_URL must be the http or https address"),
    ({}, {"OPENAI_BASE_URL": "ftp://x"}, "OPENAI_BASE_URL must be the http or https address"),
    ({}, {"OPENAI_BASE_URL": "http://a:b/"}, "OPENAI_BASE_URL is not a URL"),
    ({}, {"OPENAI_BASE_URL": "http://a:99999"}, "OPENAI_BASE_URL is not a URL"),
    ({}, {"OPENAI_BASE_URL": "http://\x01"}, "OPENAI_BASE_URL is not a URL"),
    ({}, {"ANTHROPIC_CONTEXT_WINDOW": "large"}, "ANTHROPIC_CONTEXT_WINDOW must be a number of tokens"),
    ({"EMBEDDING_PROVIDER": "nobody"}, {}, "as EMBEDDING_PROVIDER and EMBEDDING_MODEL are set: The provider 'nobody'"),
    ({"EMBEDDING_PROVIDER": "openai", "EMBEDDING_MODEL": "m"}, {}, "needs a key: set OPENAI_API_KEY"),
]


@pytest.fixture
def wrong(settings: Settings) -> str:
    settings.LLM_PROVIDER = "nobody"
    return "LLM_PROVIDER is &#x27;nobody&#x27;"


def page_for(role: Role, *, staff: bool = False) -> str:
    user = User.objects.create_user("dora", is_staff=staff)
    workspace = Workspace.objects.create(slug="here", name="Here")
    Membership.objects.create(workspace=workspace, user=user, role=role)
    client = Client()
    client.force_login(user)
    return client.get("/").content.decode()


@pytest.mark.parametrize(("values", "variables", "sentence"), WRONG)
def test_what_cannot_work_is_said(
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    values: dict[str, str],
    variables: dict[str, str],
    sentence: str,
) -> None:
    for name in ("OPENAI_API_KEY", "CUSTOM_BASE_URL", "CUSTOM_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert checks.problems() == []
    for name, value in values.items():
        setattr(settings, name, value)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    (told,) = checks.problems()
    assert sentence in told


@pytest.mark.parametrize(("values", "variables", "sentence"), WRONG)
def test_it_is_said_in_french(
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    values: dict[str, str],
    variables: dict[str, str],
    sentence: str,
) -> None:
    for name in ("OPENAI_API_KEY", "CUSTOM_BASE_URL", "CUSTOM_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in values.items():
        setattr(settings, name, value)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    (english,) = checks.problems()
    with override("fr"):
        (french,) = checks.problems()
    named = re.findall(r"[A-Z]+_[A-Z_]+", english)
    assert french != english
    assert re.findall(r"[A-Z]+_[A-Z_]+", french) == named
    assert not re.search(r"\b(the|must|needs|set)\b", french)


@pytest.mark.parametrize(("role", "staff"), [(Role.ADMIN, False), (Role.VIEWER, True)])
def test_administrators_read_it_on_every_page(wrong: str, role: Role, staff: bool) -> None:
    assert wrong in page_for(role, staff=staff)


def test_superusers_read_it_in_the_admin(wrong: str) -> None:
    client = Client()
    assert wrong not in client.get("/admin/login/").content.decode()
    client.force_login(User.objects.create_superuser("root"))
    for address in ("/admin/", "/admin/auth/user/", "/admin/auth/user/add/"):
        assert wrong in client.get(address).content.decode(), address


@pytest.mark.parametrize("role", [Role.VIEWER, Role.EDITOR])
def test_others_do_not(wrong: str, role: Role) -> None:
    page = page_for(role)
    assert wrong not in page
    assert "Not everything is set up." not in page


def test_nobody_reads_of_it_where_all_is_well() -> None:
    assert "Not everything is set up." not in page_for(Role.ADMIN, staff=True)


def test_who_is_not_signed_in_reads_nothing_of_it(wrong: str) -> None:
    assert wrong not in Client().get("/login/").content.decode()
