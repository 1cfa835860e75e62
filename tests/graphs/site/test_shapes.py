from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from pydantic import ValidationError

from graphs.site.shapes import AsItIs, Id, Moment, Shape

NAME = UUID(int=7)
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


class Part(Shape):
    line_number: int
    text: str | None = None


class Whole(Shape):
    id: Id
    created_at: Moment
    parts: list[Part]
    ready: AsItIs[list[Part]]


def test_it_is_sent_by_the_names_of_the_wire_without_what_was_not_given() -> None:
    ready: Any = [{"zeta": 1, "alpha": 1.5}]
    whole = Whole(id=NAME, created_at=NOON, parts=[Part(line_number=1), Part(line_number=2, text=None)], ready=ready)
    sent = whole.to_json()
    assert list(sent.items()) == [
        ("id", str(NAME)),
        ("createdAt", "2026-01-31T12:00:00+00:00"),
        ("parts", [{"lineNumber": 1}, {"lineNumber": 2, "text": None}]),
        ("ready", ready),
    ]
    assert sent["ready"] is ready


def test_fields_are_taken_from_attributes() -> None:
    row = SimpleNamespace(id=NAME, created_at=NOON, parts="others are not read")
    assert Whole.from_attributes(row, parts=[], ready=[]).id == str(NAME)
    with pytest.raises(AttributeError):
        Whole.from_attributes(row, parts=[])


def test_nothing_that_is_not_described_is_sent() -> None:
    with pytest.raises(ValidationError):
        Part(line_number=1, more=2)
    with pytest.raises(ValidationError):
        Part(line_number="one")


def test_it_describes_what_is_sent_as_it_is() -> None:
    schema = Whole.model_json_schema(mode="serialization")
    assert schema["properties"]["ready"]["items"] == {"$ref": "#/$defs/Part"}
    assert schema["properties"]["createdAt"]["type"] == "string"
