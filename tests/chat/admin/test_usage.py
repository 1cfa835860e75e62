from typing import get_args

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import translation
from pytest_django import DjangoAssertNumQueries

from chat.admin import outcomes
from chat.models import ModelCall
from chat.spending import crashed
from graphs.models import Workspace
from graphs.site.vendor_errors import ErrorCode
from tests.chat.admin.talk import talk
from tests.graphs.admin.staff import auditor, mere_staff, superuser

pytestmark = pytest.mark.django_db
LIST = "admin:chat_modelcall_changelist"


def test_a_workspace_admin_sees_the_calls_of_their_workspace(
    alice: User, charlie: User, demo_workspace: Workspace, other_workspace: Workspace
) -> None:
    talk(alice, demo_workspace)
    foreign = talk(charlie, other_workspace, "Secret question")
    client = auditor(demo_workspace)
    text = client.get(reverse(LIST)).content.decode()
    assert "1 model call" in text
    assert "$0.5000" in text
    assert "ecret" not in text
    call = ModelCall.objects.get(run=foreign.run)
    assert client.get(reverse("admin:chat_modelcall_change", args=[call.pk])).status_code == 404
    assert "0 model calls" in client.get(reverse(LIST), {"workspace": "other"}).content.decode()


def test_mere_staff_sees_none(demo_workspace: Workspace) -> None:
    assert mere_staff(demo_workspace).get(reverse(LIST)).status_code == 403


def test_filters_choose(alice: User, demo_workspace: Workspace) -> None:
    talk(alice, demo_workspace)
    ModelCall.objects.update(provider="openai", outcome="timeout")
    client = superuser()
    for query, found in (({"provider": "openai"}, 1), ({"outcome": "timeout"}, 1), ({"provider": "demo"}, 0)):
        assert f"{found} model call" in client.get(reverse(LIST), query).content.decode()


def test_the_list_needs_as_many_queries_for_many_rows(
    alice: User, demo_workspace: Workspace, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for i in range(20):
        talk(alice, demo_workspace, f"Question {i}")
    client = auditor(demo_workspace)
    with django_assert_max_num_queries(7):
        assert "20 model calls" in client.get(reverse(LIST)).content.decode()


def test_outcomes_are_told_in_words_of_the_reader(alice: User, demo_workspace: Workspace) -> None:
    talk(alice, demo_workspace)
    ModelCall.objects.update(outcome="server_error")
    assert {*get_args(ErrorCode), crashed.OUTCOME} < outcomes.OUTCOMES.keys()
    client = superuser()
    with translation.override("en"):
        for language, words in (("en", "service failed"), ("fr", "panne du service")):
            response = client.get(reverse(LIST), headers={"accept-language": language})
            assert f'<td class="field-ended">{words}</td>' in response.content.decode()
