"""What one change of many items may weigh, by whatever door it comes."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from graphs.models import Company, Folder, UseCase, Workspace
from graphs.objects import asked_values, object_plan
from tests.cast import signed_in
from tests.graphs.api.callers import post_json, problem
from tests.graphs.tables.files import send

pytestmark = pytest.mark.django_db
COUNT = asked_values.FEW + 1


@pytest.fixture
def client(alice: User) -> Client:
    return signed_in(alice)


@pytest.fixture
def folder(demo_workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """One with more use cases than are not weighed, which are heavier than a change may be."""
    company = Company.objects.create(workspace=demo_workspace, name="Northwind")
    made = Folder.objects.create(workspace=demo_workspace, company=company, name="Warehouse")
    UseCase.objects.bulk_create(
        UseCase(workspace=demo_workspace, folder=made, data={"name": f"n{n}", "problem": "x" * 100})
        for n in range(COUNT)
    )
    monkeypatch.setattr(asked_values, "MAX_CHANGE_CHARS", 100 * COUNT)
    return made


def deletion(client: Client, of: Folder | UseCase) -> Any:
    kind = "folder" if isinstance(of, Folder) else "usecase"
    body = {"actions": [{"action": "delete_object", "arguments": {"object": f"{kind}:{of.pk}"}}]}
    return post_json(client, f"/api/v1/objects/{kind}/{of.pk}/changes", body)


def test_what_goes_with_an_object_is_weighed(client: Client, folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    from_db = UseCase.from_db.__func__  # type: ignore[attr-defined]

    def counted(cls: type[UseCase], *values: Any) -> UseCase:
        read.append("row")
        return from_db(cls, *values)  # type: ignore[no-any-return]

    monkeypatch.setattr(UseCase, "from_db", classmethod(counted))
    monkeypatch.setattr(object_plan, "AT_ONCE", 2)
    monkeypatch.setattr(asked_values, "FEW", 2)
    told = problem(deletion(client, folder), 400, "refused")
    assert 0 < len(read) < COUNT, "the others are not read"
    monkeypatch.setattr(asked_values, "FEW", COUNT - 1)
    assert f"More than {100 * COUNT:,} characters" in told["detail"]
    assert UseCase.objects.count() == COUNT
    for _ in range(2):
        assert deletion(client, UseCase.objects.all()[0]).status_code == 201
    assert deletion(client, folder).status_code == 201  # in parts it goes


def test_copies_are_weighed(client: Client, folder: Folder) -> None:
    told = post_json(client, f"/api/v1/objects/folder/{folder.pk}/copy", {"children": True})
    assert "characters would change" in problem(told, 400, "refused")["detail"]
    assert UseCase.objects.count() == COUNT


def test_rows_of_a_file_are_weighed(client: Client, folder: Folder) -> None:
    rows = "".join(f"{pk},{'y' * 100}\n" for pk in UseCase.objects.values_list("pk", flat=True))
    refused = problem(send(client, f"id,data.problem\n{rows}", "usecase"), 400, "import_refused")
    assert "characters would change" in refused["rowErrors"][0]["message"]
    assert not UseCase.objects.filter(data__problem__startswith="y").exists()
