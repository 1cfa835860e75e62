import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from chat.engine.states import STATE_VERSION, EndReason, Phase, State, Waiting, load, state_of
from chat.models import Session, SessionType

STORED_BY_VERSION_1 = Path(__file__).parents[2] / "fixtures" / "state_v1.json"


def test_it_loads_what_version_1_stored() -> None:
    assert load(json.loads(STORED_BY_VERSION_1.read_text())) == State(
        phase=Phase.WAITING_COMMUNICATION_RESPONSE,
        session_type=SessionType.CHAT,
        round_trips=12,
        rounds=5,
        rounds_allowed=5,
        waiting=Waiting("tool_limit"),
    )


def test_it_still_stores_the_fields_of_version_1() -> None:
    """Who changes the fields raises the version, teaches `load` the old one, and adds a fixture."""
    stored = json.loads(STORED_BY_VERSION_1.read_text())
    assert State().to_json().keys() == stored.keys()
    assert stored["version"] == STATE_VERSION


@pytest.mark.parametrize("kind", list(SessionType))
@pytest.mark.parametrize("phase", list(Phase))
def test_it_comes_back_from_json_as_it_was(phase: Phase, kind: SessionType) -> None:
    state = State(phase, kind, 3, 2, 5, "the same again", 2, Waiting("question", "q1"), EndReason.TIMEOUT)
    assert len(fields(State)) == 9
    assert load(json.loads(json.dumps(state.to_json()))) == state


def test_it_begins_a_new_session_at_rest() -> None:
    assert load({}) == State() == State(phase=Phase.IDLE, session_type=SessionType.CHAT)


@pytest.mark.parametrize("version", [STATE_VERSION + 1, 0, None, "1"])
def test_it_refuses_a_version_it_does_not_know(version: object) -> None:
    with pytest.raises(ValueError, match="version"):
        load({**State().to_json(), "version": version})


def test_it_refuses_a_state_without_version() -> None:
    with pytest.raises(ValueError, match="version"):
        load({"phase": "IDLE"})


def test_it_refuses_a_phase_it_does_not_know() -> None:
    with pytest.raises(ValueError, match="DREAMING"):
        load({**State().to_json(), "phase": "DREAMING"})


@pytest.mark.parametrize(
    "stored",
    [{"version": STATE_VERSION + 1, "phase": "WAITING_VALIDATION"}, {"phase": "WAITING_VALIDATION"}, {"version": 0}],
)
def test_a_session_goes_on_from_rest_when_its_state_is_none_that_we_wrote(stored: dict[str, Any]) -> None:
    """A newer one is left to processes that know it; a broken one must not keep every process from claiming."""
    assert state_of(Session(state=stored)) == State()
    waiting = State(phase=Phase.WAITING_VALIDATION, waiting=Waiting("validation"))
    assert state_of(Session(state=waiting.to_json())) == waiting
