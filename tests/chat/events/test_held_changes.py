"""chat/events/notices.py: what the stream of an object tells of the objects that it holds."""

import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from chat.events.notices import stream_of
from chat.models import StreamEvent
from graphs.history.outside import catch_up
from graphs.history.rollback import roll_back
from graphs.history.scopes import ChangeSets
from graphs.models import Company, Folder, UseCase
from graphs.models.records import Record
from graphs.objects.headers import header_of, ref_of
from graphs.objects.kinds import KINDS
from tests.graphs.api.callers import with_token
from tests.graphs.records.asking import TYPES, change, create, name_of, update
from tests.graphs.records.portfolio import Portfolio, portfolio
from tests.graphs.tables.files import send

__all__ = ["portfolio"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def client(alice: User) -> Client:
    return with_token(alice)


@pytest.fixture
def yard(portfolio: Portfolio) -> Folder:
    """A folder that nothing holds, and that holds nothing."""
    made = Folder.objects.create(workspace=portfolio.workspace, name="Yard")
    for record in (portfolio.company, portfolio.folder, *portfolio.use_cases, made):
        catch_up([header_of(KINDS[TYPES[type(record).__name__]], record.workspace_id, record)])
    return made


def heard(record: Record) -> list[tuple[str, int]]:
    """The kinds that the stream of a record named of what it holds, and how many of each."""
    of = header_of(KINDS[TYPES[type(record).__name__]], record.workspace_id, record)
    events = StreamEvent.objects.filter(stream__name=stream_of(of), type="held_changed").order_by("sequence")
    assert all(event.data["object"] == ref_of(KINDS[of.type], record).to_json() for event in events)
    return [(event.data["kind"], event.data["count"]) for event in events]


def take_back(portfolio: Portfolio, done: Any) -> None:
    roll_back(portfolio.workspace.pk, User.objects.get(username="alice"), ChangeSets((uuid.UUID(done.json()["id"]),)))


def test_a_folder_hears_of_a_field_of_its_use_case_and_its_company_does_not(
    client: Client, portfolio: Portfolio, yard: Folder
) -> None:
    done = update(client, portfolio.use_cases[0], **{"data.name": "Renamed", "status": "ready"})
    assert done.status_code == 201
    assert heard(portfolio.folder) == [("usecase", 1)]
    (event,) = StreamEvent.objects.filter(type="held_changed")
    assert event.data["changeSetId"] == done.json()["id"]
    assert (heard(portfolio.company), heard(yard)) == ([], [])
    assert update(client, portfolio.folder, name="Store").status_code == 201
    assert heard(portfolio.company) == [("folder", 1)]


def test_it_hears_of_what_comes_moves_and_goes(client: Client, portfolio: Portfolio, yard: Folder) -> None:
    made = create(client, "usecase", portfolio.folder, **{"data.name": "New"}).json()
    assert heard(portfolio.folder) == [("usecase", 1)]
    case = UseCase.objects.get(pk=made["id"])
    assert change(client, case, "move_object", parent=name_of(yard)).status_code == 201
    assert (heard(portfolio.folder), heard(yard)) == ([("usecase", 1)] * 2, [("usecase", 1)])
    assert change(client, case, "move_object", parent=None).status_code == 201
    assert (heard(portfolio.folder), heard(yard)) == ([("usecase", 1)] * 2, [("usecase", 1)] * 2)
    gone = change(client, portfolio.use_cases[0], "delete_object")
    assert gone.status_code == 201
    assert heard(portfolio.folder) == [("usecase", 1)] * 3
    take_back(portfolio, gone)
    assert heard(portfolio.folder) == [("usecase", 1)] * 4


def test_of_many_at_once_it_hears_once(client: Client, portfolio: Portfolio, yard: Folder) -> None:
    rows = "".join(f"{name_of(yard).partition(':')[2]},Case {number}\n" for number in range(100))
    assert send(client, f"parent,data.name\n{rows}", "usecase").status_code == 201
    assert heard(yard) == [("usecase", 100)]
    assert heard(portfolio.folder) == []


def test_what_goes_with_its_holder_is_told_to_who_holds_that(
    client: Client, portfolio: Portfolio, yard: Folder
) -> None:
    gone = change(client, portfolio.folder, "delete_object")
    assert gone.status_code == 201
    assert heard(portfolio.company) == [("folder", 1)]
    take_back(portfolio, gone)
    assert heard(portfolio.company) == [("folder", 1)] * 2


def test_its_numbers_have_no_gap(client: Client, portfolio: Portfolio, yard: Folder) -> None:
    for turn in range(3):
        update(client, portfolio.use_cases[0], status="ready")
        update(client, portfolio.folder, description=f"Turn {turn}")
        update(client, portfolio.use_cases[0], status="draft")
    of = header_of(KINDS["folder"], portfolio.workspace.pk, portfolio.folder)
    events = StreamEvent.objects.filter(stream__name=stream_of(of)).order_by("sequence")
    assert [event.sequence for event in events] == list(range(1, 10))
    assert [event.type for event in events][:3] == ["held_changed", "object_changed", "held_changed"]


def test_it_takes_no_further_statement(client: Client, portfolio: Portfolio, yard: Folder) -> None:
    def asked(record: Record, **values: Any) -> int:
        update(client, record, **values)
        with CaptureQueriesContext(connection) as taken:
            assert update(client, record, **{name: f"{value}!" for name, value in values.items()}).status_code == 201
        return len(taken)

    alone = Folder.objects.create(workspace=portfolio.workspace, name="Alone")
    catch_up([header_of(KINDS["folder"], portfolio.workspace.pk, alone)])
    assert asked(portfolio.folder, description="x") == asked(alone, description="x")


def test_another_holder_hears_nothing(client: Client, portfolio: Portfolio, yard: Folder) -> None:
    before = StreamEvent.objects.filter(type="held_changed").count()
    other = Company.objects.create(workspace=portfolio.workspace, name="Other")
    catch_up([header_of(KINDS["company"], portfolio.workspace.pk, other)])
    assert update(client, portfolio.folder, name="Store").status_code == 201
    assert heard(other) == []
    assert StreamEvent.objects.filter(type="held_changed").count() == before + 1
