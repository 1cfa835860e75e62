"""A prompt made with what the process keeps, beside the same one made from nothing, byte for byte on every wire."""

import json
import uuid
from typing import Any

from chat.engine import kept_messages
from chat.engine.claims import ClaimedRun
from chat.engine.kept_messages import KeptMessages
from chat.engine.prompt_loading import Prompt, load_prompt
from chat.providers.building import body_of
from chat.providers.model_request import ModelRequest
from chat.providers.provider import ProviderConfig, Wire
from chat.providers.turns import begun_and_ended_by_a_person
from chat.sent_requests.keeping import KeptRequest, LastRequest, rows_of
from graphs.site.access import Member

_WIRES: tuple[Wire, ...] = ("openai", "anthropic", "openai-responses")


def forget() -> dict[uuid.UUID, KeptMessages]:
    """Forgets everything as a process that starts; returns what was kept, for `remember`."""
    kept = dict(kept_messages._kept)
    kept_messages.forget_all()
    return kept


def remember(kept: dict[uuid.UUID, KeptMessages]) -> None:
    kept_messages._kept.update(kept)


def check_as_from_nothing(run: ClaimedRun, member: Member) -> Prompt:
    """Raises `AssertionError` if the prompt, its request or what is stored of that depends on what is kept."""
    prompt = load_prompt(run, member)
    kept = forget()
    anew = load_prompt(run, member)
    remember(kept)
    assert repr(prompt.messages) == repr(anew.messages)
    assert [each.message for each in prompt.sent] == [each.message for each in anew.sent]
    assert (prompt.summary, prompt.left_out, prompt.version) == (anew.summary, anew.left_out, anew.version)
    for wire in _WIRES:
        assert _stored(wire, prompt, prompt.last_request) == _stored(wire, anew, LastRequest())
    return prompt


def _stored(wire: Wire, prompt: Prompt, before: LastRequest) -> list[Any]:
    """The request of a prompt, and what is stored of it when it comes behind another."""
    config = ProviderConfig(wire, wire, "", "m", 100, None)
    messages = begun_and_ended_by_a_person(prompt.messages)
    request = ModelRequest(messages, prompt.tools, "m", 100)
    rows = rows_of([KeptRequest(config, request, 0, before=before)])
    entries = sorted((*rows.older, *rows.entries), key=lambda entry: (entry.position, entry.digest))
    said = [(entry.digest, entry.parent, entry.position, entry.content) for entry in entries]
    body = json.dumps(body_of(config, request))
    return [body, said, [{**row, "id": None} for row in rows.requests]]
