"""The pages of records as the server sends them: what they show, to whom, and in how many statements."""

import json
import re
import uuid
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from chat.models import Session, Stream
from graphs.history.outside import catch_up
from graphs.models import ChangeSet, Folder, Membership, Object, Origin, Role, UseCase
from graphs.models.records import Record
from graphs.objects.headers import header_of
from graphs.objects.kinds import KINDS
from tests.cast import signed_in
from tests.graphs.api.callers import post_json
from tests.graphs.records.asking import TYPES, path_of, update
from tests.graphs.records.conftest import AXES
from tests.graphs.records.portfolio import Portfolio

ADDRESSES = {"company": "/companies/", "folder": "/folders/", "usecase": "/use-cases/"}


def said(answer: Any) -> tuple[int, str]:
    """The status and the page, without what each page has of its own."""
    return answer.status_code, re.sub(
        r'name="csrfmiddlewaretoken" value="\w+"|value="/[\w/-]*"', "", answer.content.decode()
    )


def kind_of(record: Record) -> str:
    return TYPES[type(record).__name__]


def address(record: Record) -> str:
    return f"{ADDRESSES[kind_of(record)]}{record.pk}/"


def header(record: Record) -> Object:
    of = header_of(KINDS[kind_of(record)], record.workspace_id, record)
    catch_up([of])
    of.refresh_from_db()
    return of


def shown(client: Client, record: Record, query: str = "") -> str:
    answer = client.get(address(record) + query)
    assert answer.status_code == 200
    return answer.content.decode()


def value_of(page: str, field: str) -> Any:
    """The value that a page hands to its scripts."""
    found = re.search(rf'data-field="{re.escape(field)}" data-value="([^"]*)"', page)
    assert found, field
    return json.loads(unescape(found[1]))


@pytest.fixture
def records(portfolio: Portfolio) -> list[Record]:
    return [portfolio.company, portfolio.folder, portfolio.use_cases[0]]


def test_every_field_of_the_registry_is_there_with_its_value(portfolio: Portfolio, alice: User) -> None:
    use_case = portfolio.use_cases[0]
    use_case.data |= {"benefits": ["Faster", "Cheaper"], "unknown": {"a": 1}}
    use_case.save()
    page = shown(signed_in(alice), use_case)
    for field in KINDS["usecase"].fields:
        if field.name != "parent":
            value_of(page, field.name)
    assert value_of(page, "data.benefits") == ["Faster", "Cheaper"]
    assert value_of(page, "data.*") == {"unknown": {"a": 1}}
    assert "<li><markdown-text" in page


def test_what_only_sets_itself_has_no_edit(portfolio: Portfolio, alice: User) -> None:
    page = shown(signed_in(alice), portfolio.use_cases[0])
    assert 'aria-label="Edit: problem"' in page
    assert 'aria-label="Edit: model"' not in page


def test_it_names_the_versions_that_are_shown(portfolio: Portfolio, alice: User) -> None:
    version = header(portfolio.company).version
    page = shown(signed_in(alice), portfolio.company)
    assert set(re.findall(r'data-version="(\d+)"', page)) == {str(version)}


def test_it_leads_to_what_holds_it_and_what_it_holds(portfolio: Portfolio, alice: User) -> None:
    page = shown(signed_in(alice), portfolio.folder)
    assert f'class="back" href="{address(portfolio.company)}"' in page
    for use_case in portfolio.use_cases:
        assert f'href="{address(use_case)}"' in page
    assert f'href="/use-cases/?in={portfolio.folder.pk}"' in page
    assert 'data-status="ready">Ready' in page
    assert f'href="/folders/{portfolio.folder.pk}/matrix/"' in page
    page = shown(signed_in(alice), portfolio.company)
    assert 'class="back" href="/companies/"' in page
    assert '<a href="/companies/" aria-current="true">' in page
    page = shown(signed_in(alice), portfolio.use_cases[0])
    above = [("above", address(portfolio.company)), ("back", address(portfolio.folder))]
    assert re.findall(r'<a class="(above|back)" href="([^"]*)"', page) == above


def test_it_counts_what_would_go_with_it(portfolio: Portfolio, alice: User) -> None:
    page = shown(signed_in(alice), portfolio.company)
    found = re.search(r'data-counts="([^"]*)"', page)
    assert found
    assert json.loads(unescape(found[1])) == [["folders", 1], ["use cases", 2]]


def test_the_summary_is_a_tab_of_its_folder_and_has_conversations_of_its_own(portfolio: Portfolio, alice: User) -> None:
    folder = portfolio.folder
    folder.executive_summary = {"introduction": "Much can be done."}
    folder.save()
    page = shown(signed_in(alice), folder, "?tab=executive_summary")
    assert value_of(page, "executive_summary.introduction") == "Much can be done."
    assert f'context-type="executive_summary" context-id="{folder.pk}"' in page
    assert page.count('data-field="name"') == 1
    assert f'context-type="folder" context-id="{folder.pk}"' in shown(signed_in(alice), folder)


def test_scores_stand_at_the_axes_of_the_folder(portfolio: Portfolio, alice: User) -> None:
    portfolio.folder.matrix_config = AXES
    portfolio.folder.save()
    use_case = portfolio.use_cases[0]
    use_case.data |= {"valueScores": [{"axisId": "gain", "rating": 1}, {"axisId": "old", "rating": 4}]}
    use_case.save()
    page = shown(signed_in(alice), use_case)
    assert "Gain" in page
    assert "low" in page
    assert "not an axis of the folder any more" in page
    axes = re.search(r'data-field="data.valueScores"[^>]*data-axes="([^"]*)"', page)
    assert axes
    assert json.loads(unescape(axes[1])) == AXES["valueAxes"]


@pytest.mark.parametrize("data", [{"valueScores": "high"}, {"benefits": 7}, {"risks": [{"x": 1}]}, {"metrics": None}])
def test_values_of_any_shape_are_shown(portfolio: Portfolio, alice: User, data: dict[str, Any]) -> None:
    use_case = portfolio.use_cases[0]
    UseCase.objects.filter(pk=use_case.pk).update(data={"name": "Odd", **data})
    shown(signed_in(alice), use_case)


def test_data_is_text_and_never_markup(portfolio: Portfolio, alice: User) -> None:
    evil = "</script><script>alert(1)</script>\"'<img src=x onerror=alert(1)>"
    company = portfolio.company
    for field in ("name", "industry", "products"):
        setattr(company, field, evil)
    company.save()
    page = shown(signed_in(alice), company)
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert value_of(page, "products") == evil


def test_viewers_see_everything_without_controls(records: list[Record], alice: User, bob: User) -> None:
    for record in records:
        edited, page = shown(signed_in(alice), record), shown(signed_in(bob), record)
        assert "data-edit" in edited
        assert 'data-ask="delete"' in edited
        assert "data-edit" not in page
        assert "data-ask" not in page
        fields = r'data-field="([^"]+)" data-value="([^"]*)"'
        assert re.findall(fields, page) == re.findall(fields, edited)


def test_foreign_records_are_as_absent_ones(records: list[Record], charlie: User, alice: User) -> None:
    for record in records:
        absent = f"{ADDRESSES[kind_of(record)]}{uuid.uuid4()}/"
        for client in (signed_in(charlie), Client()):
            assert said(client.get(address(record))) == said(client.get(absent))
    assert signed_in(charlie).get(address(records[0])).status_code == 404


def test_a_foreign_record_that_was_deleted_is_as_an_absent_one(
    portfolio: Portfolio, alice: User, charlie: User
) -> None:
    where = address(portfolio.company)
    delete(alice, portfolio.company)
    client = signed_in(charlie)
    foreign = said(client.get(where))
    assert foreign == said(client.get(f"/companies/{uuid.uuid4()}/"))
    assert foreign[0] == 404


def delete(person: User, record: Record) -> None:
    actions = [{"action": "delete_object", "arguments": {}}]
    answer = post_json(signed_in(person), f"{path_of(record)}/changes", {"actions": actions})
    assert answer.status_code == 201


def test_a_deleted_one_says_who_did_it_and_lets_editors_undo(portfolio: Portfolio, alice: User, bob: User) -> None:
    header(portfolio.company)
    where = address(portfolio.company)
    delete(alice, portfolio.company)
    for person, editable in ((alice, True), (bob, False)):
        answer = signed_in(person).get(where)
        page = answer.content.decode()
        assert answer.status_code == 404
        assert 'data-actor="alice"' in page
        assert "Northwind" in page
        assert ("data-editable" in page) == editable


def test_what_was_deleted_past_this_program_is_as_an_absent_one(portfolio: Portfolio, alice: User) -> None:
    header(portfolio.use_cases[0])
    where, client = address(portfolio.use_cases[0]), signed_in(alice)
    portfolio.use_cases[0].delete()
    assert said(client.get(where)) == said(client.get(f"/use-cases/{uuid.uuid4()}/"))


def test_what_went_with_its_holder_comes_back_with_it(portfolio: Portfolio, alice: User) -> None:
    where, client = address(portfolio.use_cases[0]), signed_in(alice)
    delete(alice, portfolio.company)
    found = re.search(r'data-deletion="([^"]+)"', client.get(where).content.decode())
    assert found
    assert post_json(client, f"/api/v1/history/{found[1]}/rollback", {}).status_code == 201
    assert client.get(where).status_code == 200


def by_a_conversation(
    person: User, record: Record, field: str, value: str, ago: timedelta = timedelta(), origin: Origin = Origin.CHAT
) -> ChangeSet:
    """A change that a conversation of the person led to, or a generation."""
    stream = Stream.objects.create(name=f"session_{uuid.uuid4()}", workspace=record.workspace)
    session = Session.objects.create(
        workspace=record.workspace, owner=person, stream=stream,
        context_type=kind_of(record), context_id=str(record.pk), title=f"{person.username} talks",
    )  # fmt: skip
    answer = update(signed_in(person), record, **{field: value})
    assert answer.status_code == 201
    made = ChangeSet.objects.get(pk=answer.json()["id"])
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        ChangeSet.objects.filter(pk=made.pk).update(
            causes=[f"session:{session.pk}"], created_at=timezone.now() - ago, origin=origin
        )
        cursor.execute("SET session_replication_role = DEFAULT")
    return made


def test_a_field_that_a_conversation_changed_today_is_marked(portfolio: Portfolio, alice: User) -> None:
    company, client = portfolio.company, signed_in(alice)
    header(company)
    made = by_a_conversation(alice, company, "industry", "Transport")
    by_a_conversation(alice, company, "size", "100", ago=timedelta(hours=25))
    page = shown(client, company)
    assert page.count('class="recent"') == 1
    assert f"tab=history&amp;change={made.pk}" in page
    assert "Changed by a conversation of alice" in page
    # Somebody changes it by hand: it is not the conversation's any more.
    assert update(client, company, industry="Rail").status_code == 201
    assert 'class="recent"' not in shown(client, company)


def test_a_title_that_a_conversation_changed_is_marked_too(portfolio: Portfolio, alice: User) -> None:
    header(portfolio.company)
    made = by_a_conversation(alice, portfolio.company, "name", "Southwind")
    page = shown(signed_in(alice), portfolio.company)
    assert f'<span data-field="mark name"><a class="recent" href="?tab=history&amp;change={made.pk}"' in page


def test_conversations_are_named_to_their_people_alone(portfolio: Portfolio, alice: User) -> None:
    company = portfolio.company
    header(company)
    dora = User.objects.create_user("dora")
    Membership.objects.create(user=dora, workspace=portfolio.workspace, role=Role.EDITOR)
    by_a_conversation(alice, company, "industry", "Transport")
    by_a_conversation(alice, company, "industry", "Rail")
    by_a_conversation(dora, company, "size", "100")
    page = shown(signed_in(alice), company)
    assert "1 earlier one of yours" in page
    assert "1 conversation of others" in page
    assert "alice talks" in page
    assert "dora talks" not in page
    page = shown(signed_in(dora), company)
    assert "2 conversations of others" in page
    assert "alice talks" not in page


def test_what_a_generation_made_is_told_as_that(portfolio: Portfolio, alice: User) -> None:
    header(portfolio.company)
    by_a_conversation(alice, portfolio.company, "industry", "Transport", origin=Origin.GENERATION)
    page = shown(signed_in(alice), portfolio.company)
    assert re.search(r'title="Generated for alice, [^"]+">generated</a>', page)
    assert "conversation of others" not in page


@pytest.mark.parametrize(("which", "tab"), [(0, ""), (1, ""), (2, ""), (1, "?tab=executive_summary")])
def test_it_takes_few_statements(records: list[Record], alice: User, which: int, tab: str) -> None:
    record, client = records[which], signed_in(alice)
    header(record)
    by_a_conversation(alice, record, "status", "archived")
    if isinstance(record, Folder):
        UseCase.objects.bulk_create(
            UseCase(workspace=record.workspace, folder=record, data={"name": f"Case {n}"}) for n in range(300)
        )
    shown(client, record, tab)
    with CaptureQueriesContext(connection) as taken:
        shown(client, record, tab)
    # One of them is for the generations that the page begins with.
    assert len(taken) <= 11, "\n".join(query["sql"][:150] for query in taken)


def test_a_long_list_is_cut_and_counted(portfolio: Portfolio, alice: User) -> None:
    folder = portfolio.folder
    UseCase.objects.bulk_create(
        UseCase(workspace=folder.workspace, folder=folder, data={"name": f"Case {n:03}"}) for n in range(60)
    )
    page = shown(signed_in(alice), folder)
    assert page.count('class="row-link"') == 50
    assert "Show all: 62" in page


def test_nothing_stands_inline(records: list[Record], alice: User) -> None:
    for record in records:
        page = shown(signed_in(alice), record)
        assert re.findall(r"<script(?![^>]*(?:src=|application/json))", page) == []
        assert re.findall(r"\sstyle=|<style|\son\w+=", page) == []


def test_it_speaks_french(portfolio: Portfolio, alice: User) -> None:
    client = signed_in(alice)
    client.cookies["django_language"] = "fr"
    page = shown(client, portfolio.folder)
    assert "Champs" in page
    assert "Cas d’usage" in page
    assert "Modifier" in page
    assert ">Edit<" not in page
