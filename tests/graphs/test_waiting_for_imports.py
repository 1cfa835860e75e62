"""Who makes something while many rows are imported waits for what is stored, not for what is planned, nor for ever."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.http import HttpResponse
from pytest_django import Settings

from graphs.models import ChangeSet, Company, Folder, Object, Workspace
from graphs.objects.holding import hold_workspace
from graphs.tables import import_plan, importing
from tests.cast import signed_in
from tests.graphs.api.callers import post_json, problem, with_token
from tests.graphs.tables.files import send
from tests.graphs.workflows.interchange.samples import native

BUSY = "Something that takes long is being saved here, such as an import of many rows."
NODE_TYPE = {"key": "step", "displayName": "Step"}
Asking = Callable[[User], Any]


def by_api(person: User) -> Any:
    return post_json(with_token(person), "/api/v1/objects/company", {"fields": {"name": "Mine"}})


def by_page(person: User) -> Any:
    return signed_in(person).post("/companies/new/", {"name": "Mine"})


def by_file(person: User) -> Any:
    return send(with_token(person), "name\nMine\n", "company")


def beside(asking: Asking, person: User) -> HttpResponse:
    """What somebody else is answered meanwhile, who waits for no lock as long as a web process does."""

    def asked() -> HttpResponse:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '300ms'")
            answer: HttpResponse = asking(person)
            return answer
        finally:
            with connection.cursor() as cursor:  # the pool gives it to others, who are patient
                cursor.execute("RESET lock_timeout")
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asked).result()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("asking", [by_api, by_file])
def test_who_waits_for_too_long_is_told_why_and_when_to_come_again(
    alice: User, demo_workspace: Workspace, asking: Asking
) -> None:
    with transaction.atomic():
        hold_workspace(demo_workspace.pk)
        answer = beside(asking, alice)
        assert problem(answer, 429, "busy")["detail"].startswith(BUSY)
        assert int(answer.headers["Retry-After"]) > 0
    assert not Company.objects.exists()
    assert asking(alice).status_code == 201


@pytest.mark.django_db(transaction=True)
def test_the_page_says_the_same(alice: User, demo_workspace: Workspace) -> None:
    with transaction.atomic():
        hold_workspace(demo_workspace.pk)
        answer = beside(by_page, alice)
    assert answer.status_code == 429
    assert BUSY in answer.content.decode()
    assert by_page(alice).status_code == 302


def graph_by_page(person: User) -> Any:
    return signed_in(person).post(
        "/import/", {"file": SimpleUploadedFile("g.json", json.dumps(native(nodeTypes=[NODE_TYPE])).encode())}
    )


def rows_by_page(person: User) -> Any:
    sent = {"file": SimpleUploadedFile("rows.csv", b"name\nMine\n"), "step": "import"}
    return signed_in(person).post("/objects/company/import/", sent)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("asking", [graph_by_page, rows_by_page])
def test_the_pages_of_imports_say_so_themselves_and_when_to_come_again(
    alice: User, demo_workspace: Workspace, asking: Asking
) -> None:
    with transaction.atomic():
        hold_workspace(demo_workspace.pk)
        answer = beside(asking, alice)
    page = answer.content.decode()
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "10")
    assert 'id="import-result"' in page
    assert BUSY in page
    assert "nothing is wrong with the file. Send it again in 10 seconds." in page
    assert "Correct the file" not in page
    assert asking(alice).status_code == 201


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("asking", [graph_by_page, rows_by_page])
def test_who_imports_too_often_is_told_by_the_page_when_to_come_again(
    alice: User, demo_workspace: Workspace, asking: Asking, settings: Settings
) -> None:
    settings.LIMIT_IMPORTS = "1/min"
    assert asking(alice).status_code == 201
    answer = asking(alice)
    seconds = int(answer.headers["Retry-After"])
    assert (answer.status_code, 0 < seconds <= 60) == (429, True)
    assert f"Send it again in {seconds} second" in answer.content.decode()


@pytest.mark.django_db(transaction=True)
def test_who_changes_an_object_that_is_held_is_told_so(alice: User, demo_workspace: Workspace) -> None:
    assert by_api(alice).status_code == 201
    company = Company.objects.get()
    action = {"action": "update_object", "arguments": {"updates": {"name": "Other"}}}
    with transaction.atomic():
        Object.objects.select_for_update(no_key=True).get(key=str(company.pk))
        path = f"/api/v1/objects/company/{company.pk}/changes"
        answer = beside(lambda person: post_json(with_token(person), path, {"actions": [action]}), alice)
    assert problem(answer, 429, "busy")


@contextmanager
def while_planning(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> Iterator[list[int]]:
    """Does something after each plan of an import is made; gives how many there were."""
    plans: list[int] = []

    def planned(*given: Any) -> Any:
        made = import_plan.plan(*given)
        plans.append(len(made.rows))
        act()
        return made

    with monkeypatch.context() as patch:
        patch.setattr(importing, "plan", planned)
        yield plans


@pytest.mark.django_db(transaction=True)
def test_others_make_theirs_while_new_rows_are_planned(
    alice: User, demo_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[int] = []
    with while_planning(monkeypatch, lambda: answers.append(beside(by_api, alice).status_code)) as plans:
        assert send(with_token(alice), "name\nA\nB\n", "company").json()["creates"] == 2
    assert (answers, plans) == ([201], [2])
    assert set(Company.objects.values_list("name", flat=True)) == {"A", "B", "Mine"}


@pytest.mark.django_db(transaction=True)
def test_what_is_to_hold_the_rows_and_is_gone_meanwhile_refuses_all(
    alice: User, demo_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    company = Company.objects.create(workspace=demo_workspace, name="Theirs")
    other = Company.objects.create(workspace=demo_workspace, name="Stays")
    file = f"parent,name\n{other.pk},A\n{company.pk},B\n"
    with while_planning(monkeypatch, lambda: Company.objects.filter(pk=company.pk).delete()) as plans:
        refused = problem(send(with_token(alice), file, "folder"), 400, "import_refused")
    assert [(error["row"], error["code"]) for error in refused["rowErrors"]] == [(3, "no_parent")]
    assert len(plans) == 2
    assert not Folder.objects.exists()
    assert not ChangeSet.objects.filter(origin="import").exists()


@pytest.mark.django_db(transaction=True)
def test_a_file_with_errors_holds_nobody_up(
    alice: User, demo_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with while_planning(monkeypatch, lambda: None) as plans:
        problem(send(with_token(alice), "name\nA\n" + "x" * 300 + "\n", "company"), 400, "import_refused")
    assert plans == [1]  # of one row there is nothing to say
