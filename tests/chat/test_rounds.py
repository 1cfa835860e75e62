"""Rounds are stored as they always were, and read back as what they are."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import serializers
from django.db import connection

from chat.models import WAITING, Call, Message, Round
from graphs.models import Workspace
from tests.chat.admin.talk import ROUNDS, talk
from tests.kept import storing

CALL = Call("c1", "propose_batch", {"a": 1}, {"status": "pending"}, WAITING, '{"a": 1}', "status: pending")
FULL = Round("I see.", "Hm.", (CALL,), "anthropic", ({"type": "thinking"},), "anthropic:claude")


def kept_rounds(path: Path) -> list[dict[str, Any]]:
    messages = json.loads(path.read_text())["tables"]["chat_message"]
    return [round_ for message in messages for round_ in message["rounds"]]


@pytest.mark.parametrize("path", storing.kept(), ids=lambda path: path.stem)
def test_what_earlier_versions_stored_stays_as_it_is(path: Path) -> None:
    stored = kept_rounds(path)
    assert [Round.from_json(round_).to_json() for round_ in stored] == stored
    assert any(round_["toolCalls"] for round_ in stored)


def test_a_round_of_the_first_version_stays_as_it_is() -> None:
    """It names no model, and nothing was decided about what the model reads of its results."""
    call = {"id": "c1", "name": "x", "args": {}, "arguments": "{}", "result": {"a": 1}, "status": "ok"}
    stored = {"text": "I look.", "reasoning": "", "toolCalls": [call], "vendor": "", "vendorBlocks": []}
    assert Round.from_json(stored).to_json() == stored


def test_a_round_of_today_is_stored_under_these_keys() -> None:
    """Processes of the version before read it, too."""
    assert FULL.to_json() == {
        "text": "I see.",
        "reasoning": "Hm.",
        "toolCalls": [
            {
                "id": "c1",
                "name": "propose_batch",
                "args": {"a": 1},
                "result": {"status": "pending"},
                "status": "waiting",
                "arguments": '{"a": 1}',
                "told": "status: pending",
            }
        ],
        "vendor": "anthropic",
        "vendorBlocks": [{"type": "thinking"}],
        "model": "anthropic:claude",
    }
    aside = {"text": "Done.", "reasoning": "", "toolCalls": [], "vendor": "", "vendorBlocks": [], "model": ""}
    assert Round("Done.", aside=True).to_json() == aside | {"aside": True}


@pytest.mark.parametrize("round_", [FULL, Round("Done.", aside=True), Round("", model=None), *ROUNDS])
def test_a_round_reads_back_as_it_was(round_: Round) -> None:
    assert Round.from_json(json.loads(json.dumps(round_.to_json()))) == round_


@pytest.mark.django_db
def test_a_message_gives_and_takes_rounds(alice: User, demo_workspace: Workspace) -> None:
    message = talk(alice, demo_workspace).run.message
    Message.objects.filter(pk=message.pk).update(rounds=[FULL])
    found = Message.objects.get(rounds__contains=[{"toolCalls": [{"id": "c1"}]}])
    assert (found.pk, found.rounds) == (message.pk, [FULL])
    found.rounds.append(Round("Done.", aside=True))
    found.save(update_fields=["rounds"])
    assert list(Message.objects.filter(pk=message.pk).values_list("rounds", flat=True)) == [found.rounds]
    with connection.cursor() as cursor:
        cursor.execute("SELECT rounds FROM chat_message WHERE id = %s", [message.pk])
        assert json.loads(cursor.fetchone()[0]) == [round_.to_json() for round_ in found.rounds]


@pytest.mark.django_db
def test_messages_can_be_dumped_and_loaded(alice: User, demo_workspace: Workspace) -> None:
    message = talk(alice, demo_workspace, rounds=[FULL]).run.message
    (loaded,) = serializers.deserialize("json", serializers.serialize("json", [message]))
    assert loaded.object.rounds == [FULL]
