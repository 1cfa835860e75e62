"""chat/queue/generations.py: generations that run or wait, why they wait, who stops them and has them tried again."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.utils import timezone
from pytest_django import Settings

from chat.generation.asked import asked_generation
from chat.models import Run, RunStatus, Session, StructuredRun
from graphs.models import Company, Membership, Role
from tests.cast import signed_in
from tests.chat.api.callers import get, patch, post
from tests.chat.engine.generating import begun, stream_of
from tests.graphs.api.callers import problem
from tests.graphs.records.portfolio import Portfolio

pytestmark = pytest.mark.django_db


@pytest.fixture
def company(portfolio: Portfolio) -> Company:
    return Company.objects.create(workspace=portfolio.workspace, name="Bare")


def entries(user: User) -> list[dict[str, Any]]:
    return get(user, "queue").json()["results"]


def words_of(page: HttpResponse) -> str:
    """What who has no script reads."""
    return " ".join(page.content.decode().split())


def test_it_tells_what_each_waits_for(
    alice: User, bob: User, charlie: User, portfolio: Portfolio, company: Company, settings: Settings
) -> None:
    first, second = (begun(alice, "company_info", "company", company.pk) for _ in range(2))
    elsewhere = begun(alice, "folder_name", "folder", portfolio.folder.pk)
    told = entries(bob)
    assert [each["id"] for each in told] == [f"generation:{run.pk}" for run in (first, second, elsewhere)]
    assert [each["reason"] for each in told] == [
        "It waits for a worker that has room for it.",
        "It waits for the generation before it about the same object.",
        "It waits for a worker that has room for it.",
    ]
    shown = ("state", "title", "objectTitle", "person", "own", "mayCancel", "mayRetry", "sessionId", "messageId")
    assert [told[0][each] for each in shown] == [
        *("waiting", "Facts about a company", "Bare", "alice", False, False, False, None, str(first.message_id))
    ]
    assert [(each["own"], each["mayCancel"]) for each in entries(alice)] == [(True, True)] * 3
    assert entries(charlie) == []
    page = words_of(signed_in(bob).get("/queue/"))
    assert f"Generation · Facts about a company · alice · {told[0]['reason']}" in page
    assert "generations, imports and large embeddings" in words_of(signed_in(charlie).get("/queue/"))
    told = get(bob, "queue", Accept_Language="fr").json()["results"]
    assert told[0]["title"] == "Informations sur une entreprise"
    settings.GENERATION_SLOTS = 1
    Run.objects.filter(pk=first.pk).update(status=RunStatus.RUNNING)
    assert [(each["state"], each["reason"]) for each in entries(bob)] == [
        ("running", ""),
        ("waiting", "It waits for the generation before it about the same object."),
        ("waiting", "It waits until fewer generations run in this workspace."),
    ]


def test_editors_stop_it_and_nobody_else(alice: User, bob: User, charlie: User, company: Company) -> None:
    run = begun(alice, "company_info", "company", company.pk)
    path = f"queue/generation:{run.pk}/cancel"
    problem(post(bob, path, {}), 403, "forbidden")
    problem(post(charlie, path, {}), 404, "not_found")
    assert post(alice, f"queue/generation:{str(run.pk).upper()}/cancel", {}).status_code == 204
    run.refresh_from_db()
    assert run.status == RunStatus.CANCELLED
    assert entries(alice) == []
    problem(post(alice, path, {}), 409, "conflict")


def test_one_that_is_being_stopped_says_so_and_is_not_stopped_again(alice: User, company: Company) -> None:
    run = begun(alice, "company_info", "company", company.pk)
    Run.objects.filter(pk=run.pk).update(status=RunStatus.RUNNING)
    (entry,) = entries(alice)
    assert (entry["reason"], entry["mayCancel"]) == ("", True)
    assert post(alice, f"queue/generation:{run.pk}/cancel", {}).status_code == 204
    (entry,) = entries(alice)
    assert (entry["state"], entry["reason"], entry["mayCancel"]) == ("running", "It is being stopped.", False)


def test_who_asked_has_a_failed_one_begun_anew(alice: User, bob: User, company: Company) -> None:
    run = begun(alice, "company_info", "company", company.pk, instructions="In short.")
    path = f"queue/generation:{run.pk}/retry"
    problem(post(alice, path, {}), 409, "conflict")
    error = {"code": "timeout", "message": "It took too long.", "retryable": True}
    Run.objects.filter(pk=run.pk).update(status=RunStatus.FAILED, error=error, ended_at=timezone.now())
    (entry,) = entries(alice)
    assert [entry[each] for each in ("state", "reason", "mayRetry")] == ["failed", "It took too long.", True]
    assert entries(bob) == []
    problem(post(bob, path, {}), 403, "forbidden")
    assert post(alice, path, {}).status_code == 204
    (anew,) = entries(alice)
    assert (anew["state"], anew["id"] == entry["id"]) == ("waiting", False)
    again = Run.objects.select_related("structured").get(pk=anew["id"].partition(":")[2])
    assert again.structured.instructions == "In short."
    assert patch(alice, f"structured/{again.pk}/cancel", {}).status_code == 200


@pytest.mark.parametrize("erased", [False, True])
def test_what_a_model_asked_for_stays_that_when_it_is_begun_anew(alice: User, company: Company, erased: bool) -> None:
    said = begun(alice, "company_info", "company", company.pk)
    run = begun(alice, "company_info", "company", company.pk)
    answer = None if erased else said.message
    StructuredRun.objects.filter(pk=run.pk).update(by_model=True, asked_in=answer)
    Session.objects.filter(pk=run.session_id).update(untrusted_since=timezone.now(), untrusted_source="web:search")
    Run.objects.filter(pk=run.pk).update(status=RunStatus.FAILED, error={}, ended_at=timezone.now())
    assert post(alice, f"queue/generation:{run.pk}/retry", {}).status_code == 204
    again = Run.objects.select_related("structured", "session").latest("created_at")
    assert again.pk != run.pk
    assert (again.structured.asked_in, again.session.untrusted_source) == (answer, "web:search")
    assert asked_generation(again).by_model


def test_who_may_edit_no_more_is_offered_nothing(alice: User, company: Company) -> None:
    run = begun(alice, "company_info", "company", company.pk)
    Run.objects.filter(pk=run.pk).update(status=RunStatus.FAILED, error={}, ended_at=timezone.now())
    Membership.objects.filter(user=alice).update(role=Role.VIEWER)
    assert [each["mayRetry"] for each in entries(alice)] == [False]
    problem(post(alice, f"queue/generation:{run.pk}/retry", {}), 403, "forbidden")


def test_stopping_tells_the_page_of_what_it_came_of(alice: User, portfolio: Portfolio) -> None:
    whole = begun(alice, "folder_name", "folder", portfolio.folder.pk)
    Run.objects.filter(pk=whole.pk).update(status=RunStatus.SUCCEEDED)
    part = begun(alice, "use_case_detail", "usecase", portfolio.use_cases[0].pk)
    StructuredRun.objects.filter(pk=part.pk).update(parent=whole.pk, place=0)
    assert post(alice, f"queue/generation:{whole.pk}/cancel", {}).status_code == 204
    assert stream_of(whole)[-1].data["progress"] == {"of": 1, "done": 1, "failed": 0, "cancelled": 1}


def test_many_take_as_many_statements_as_few(alice: User, company: Company, django_assert_num_queries: Any) -> None:
    begun(alice, "company_info", "company", company.pk)
    get(alice, "queue")
    with django_assert_num_queries(12):
        get(alice, "queue")
    for _number in range(3):
        begun(alice, "company_info", "company", company.pk)
    with django_assert_num_queries(12):
        assert len(entries(alice)) == 4
