"""Asking again otherwise than before: each correction that the error names, once."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.engine import error_texts
from chat.engine.error_texts import Failure, corrections_for
from chat.models import Message, Run, RunStatus
from chat.prompts.correcting import note_about
from chat.providers.provider_error import ProviderError
from graphs.models import Workspace
from tests.chat.admin.talk import Talk, talk
from tests.chat.api.callers import post
from tests.graphs.api.callers import problem

pytestmark = pytest.mark.django_db


def failed(alice: User, workspace: Workspace, failure: Failure, **trigger: Any) -> Talk:
    found = talk(alice, workspace, rounds=[])
    run = found.run
    run.status, run.error = RunStatus.FAILED, failure.to_json(trigger.get("tried", ()))
    run.trigger = {"event": "UserMessageSent", **trigger}
    run.save()
    return found


def again(user: User, found: Talk, body: dict[str, Any]) -> Any:
    return post(user, f"chat/sessions/{found.session.pk}/retry", body)


def test_a_shorter_answer_is_asked_for_by_a_note(alice: User, demo_workspace: Workspace) -> None:
    found = failed(alice, demo_workspace, error_texts.cut_by_length())
    accepted = again(alice, found, {"correction": "shorter"})
    assert accepted.status_code == 202
    note = Message.objects.get(session=found.session, kind=Message.NOTE)
    assert note.content == note_about("context_length")
    assert "few sentences" in note.content
    run = Run.objects.get(pk=accepted.json()["runId"])
    assert run.trigger == {"event": "UserMessageSent", "correction": "shorter", "tried": ["shorter"]}
    assert run.message.sequence == note.sequence + 1
    found.run.message.refresh_from_db()
    assert found.run.message.exclude_from_prompt
    assert error_texts.cut_by_length().to_json(run.trigger["tried"])["corrections"] == ["model"]


def test_another_model_is_asked_that_the_person_is_offered(alice: User, demo_workspace: Workspace) -> None:
    found = failed(alice, demo_workspace, error_texts.filtered())
    assert "plain words" in note_about("content_filter")
    problem(again(alice, found, {"correction": "model", "model": "openai:none"}), 422, "model_unavailable")
    for body in ({"correction": "model"}, {"correction": "shorter", "model": "demo"}, {"model": "demo"}):
        assert "model" in problem(again(alice, found, body), 400, "validation")["errors"]
    accepted = again(alice, found, {"correction": "model", "model": "demo"})
    assert Run.objects.get(pk=accepted.json()["runId"]).asked_model == "demo"
    assert not Message.objects.filter(session=found.session, kind=Message.NOTE).exists()


def test_nothing_is_tried_twice_or_that_the_error_does_not_name(
    alice: User, bob: User, demo_workspace: Workspace
) -> None:
    tried = failed(alice, demo_workspace, error_texts.cut_by_length(), tried=["shorter"])
    for correction in ("shorter", "summarise"):
        problem(again(alice, tried, {"correction": correction}), 409, "conflict")
    problem(again(alice, tried, {}), 409, "conflict")
    assert "correction" in problem(again(alice, tried, {"correction": "explode"}), 400, "validation")["errors"]
    problem(again(bob, tried, {"correction": "model", "model": "demo"}), 404, "not_found")
    assert Run.objects.filter(session=tried.session).count() == 1


def test_the_same_again_remembers_what_was_tried(alice: User, demo_workspace: Workspace) -> None:
    passing = Failure("timeout", "Too slow.", retryable=True)
    found = failed(alice, demo_workspace, passing, tried=["shorter"])
    run = Run.objects.get(pk=again(alice, found, {}).json()["runId"])
    assert run.trigger == {"event": "UserMessageSent", "tried": ["shorter"]}


@pytest.mark.parametrize(
    ("code", "status", "retryable", "corrections"),
    [
        ("context_length", 400, False, ("summarise", "model")),
        ("content_filter", 400, False, ("shorter", "model")),
        ("server_error", 404, False, ("model",)),
        ("rate_limit", 429, False, ("model",)),
        ("rate_limit", 429, True, ()),
        ("auth_error", 401, False, ()),
        ("timeout", None, True, ()),
    ],
)
def test_errors_of_vendors_name_their_corrections(
    code: Any, status: int | None, retryable: bool, corrections: tuple[str, ...]
) -> None:
    error = ProviderError(code, "detail", status=status, retryable=retryable)
    assert corrections_for(error, could_be_shorter=True) == corrections
    shortest = corrections_for(error, could_be_shorter=False)
    assert shortest == tuple(each for each in corrections if each != "summarise")
