"""Naughty texts in every field of every record, through the API, files, a model's proposal, and the page.

One record has another text in each field; from turn to turn the texts move on by one field.
"""

import json
import os
from itertools import cycle, islice
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from chat.subjects import tools
from chat.tools.tool import ToolContext
from graphs.history.outside import catch_up
from graphs.models import Company, Folder, UseCase
from graphs.models.records import Record
from graphs.models.visible_text import is_blank, one_line
from graphs.objects.headers import existing
from graphs.objects.kinds import KINDS, Field
from graphs.objects.refs import Ref
from graphs.records import limits
from graphs.site.access import member_of
from graphs.site.accounts import Account
from graphs.site.json_values import UNSTORABLE
from rag.sources.registered_sources import source_of
from rag.texts.tables import decode
from tests.cast import signed_in
from tests.doors.naughty import NAUGHTY
from tests.graphs.api.callers import post_json
from tests.graphs.records.asking import name_of, path_of, update
from tests.graphs.tables.files import exported, send
from tests.proposed import waiting

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.faults]
#: Those that are no text are refused, which `tests/doors/test_naughty_texts.py` shows.
TEXTS = [text for text in NAUGHTY.values() if not UNSTORABLE.search(text)]
FULL = bool(os.environ.get("FULL"))
TURNS = range(0, len(TEXTS), 1 if FULL else 24)


@pytest.fixture
def records(company: Company, folder: Folder, picking: UseCase) -> list[Record]:
    return [company, folder, picking]


@pytest.fixture(autouse=True)
def unlimited(settings: Settings) -> None:
    settings.LIMIT_IMPORTS = settings.LIMIT_CHANGES = "100000/min"


def fields_of(record: Record) -> list[Field]:
    """The fields that people write texts into."""
    kind = KINDS[Ref.parse(name_of(record)).type]
    shapes = ("status", "parent", "matrix_config.thresholds")
    return [field for field in kind.fields if not field.fixed and field.name not in shapes]


def value_of(field: Field, text: str) -> Any:
    """The text where the field has texts, as long as it may be."""
    name = field.name.rpartition(".")[2]
    if name in ("name", "displayName"):
        return "Name" if is_blank(text[: limits.NAME_CHARS]) else text[: limits.NAME_CHARS]
    if name.endswith("Scores"):
        return [{"axisId": text[: limits.AXIS_ID_CHARS] or "gain", "rating": None, "description": text[:10_000]}]
    if name.endswith("Axes"):
        level = {"rating": 1, "label": text[: limits.NAME_CHARS], "points": 1}
        called = "Axis" if is_blank(text[: limits.NAME_CHARS]) else text[: limits.NAME_CHARS]
        return [{"id": text[: limits.AXIS_ID_CHARS] or "a", "name": called, "weight": 1, "levels": [level]}]
    if name == "*":
        return {f"x {text}"[: limits.KEY_CHARS]: text, "list": [text, {"a": text}]}
    if field.form == "json":
        return [text[: limits.LISTED_CHARS], "other"]
    return text[: field.limit]


def naughty(record: Record, turn: int) -> dict[str, Any]:
    fields = fields_of(record)
    return {
        field.name: value_of(field, text)
        for field, text in zip(fields, islice(cycle(TEXTS), turn, turn + len(fields)), strict=True)
    }


def in_lines(record: Record, values: dict[str, Any]) -> dict[str, Any]:
    """The values with spaces for breaks where a text is of one line."""
    lines = [field.name for field in fields_of(record) if field.limit == limits.NAME_CHARS]
    return values | {name: one_line(values[name]) for name in lines}


def fields(client: Client, record: Record) -> dict[str, Any]:
    found: dict[str, Any] = client.get(path_of(record)).json()["fields"]
    return found


@pytest.mark.parametrize("turn", TURNS)
def test_the_api_a_file_and_the_page_give_them_back(
    client: Client, alice: User, records: list[Record], turn: int
) -> None:
    pages = signed_in(alice)
    for record in records:
        wanted = naughty(record, turn)
        assert update(client, record, **wanted).status_code == 201
        written = fields(client, record)
        assert {name: written[name] for name in wanted} == in_lines(record, wanted)
        page = pages.get(client.get(path_of(record)).json()["url"])
        assert page.status_code == 200
        assert "<script>alert" not in page.content.decode()
        type_ = Ref.parse(name_of(record)).type
        file = exported(client, "csv", type_)
        assert update(client, record, **dict.fromkeys(plain(record), "Else")).status_code == 201
        answer = send(client, file, type_)
        assert answer.status_code == 201, answer.content
        assert without_blanks(fields(client, record)) == without_blanks(written)


def without_blanks(values: dict[str, Any]) -> dict[str, Any]:
    """A cell of spaces is an empty one, which takes a text away that is in a JSON column."""
    return {name: None if isinstance(value, str) and not value.strip() else value for name, value in values.items()}


def plain(record: Record) -> list[str]:
    return [field.name for field in fields_of(record) if field.form == "text"]


@pytest.mark.parametrize("turn", TURNS)
def test_a_model_is_told_them_and_what_it_proposes_is_written(
    client: Client, alice: User, records: list[Record], turn: int
) -> None:
    member = member_of(alice)
    for record in records:
        wanted, name = naughty(record, turn), name_of(record)
        around = existing(member.workspace.pk, Ref.parse(name))
        assert around is not None
        catch_up([around])
        call = ("update_object", {"object": name, "updates": wanted})
        (proposal,) = waiting(alice, around, call, reason=TEXTS[turn])
        address = f"/api/v1/proposals/{proposal.pk}"
        assert client.get(address).json()["arguments"]["updates"] == wanted
        decided: Any = post_json(client, f"{address}/decide", {"approved": True})
        assert decided.json()["proposal"]["status"] == "applied", decided.content
        written = fields(client, record)
        wanted = in_lines(record, wanted)
        assert {name: written[name] for name in wanted} == wanted
        for path in plain(record):
            reading = json.dumps({"object": name, "fields": [path]})
            parsed = tools.parse("read_object", reading, tools.by_name())
            assert isinstance(parsed, tools.ParsedCall)
            told = tools.run(parsed, ToolContext(member, around))
            assert wanted[path][:100] in str(told["fields"][path]) or not wanted[path]
        block = source_of(around.type).retrieve(member, around, "What is it?", Account(member.workspace.pk))
        assert isinstance(decode(block.body), dict)
