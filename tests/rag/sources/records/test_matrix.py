"""What a question about a record comes with: its holders, what it holds in numbers, what matters for the question."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from config.demo.records import import_demo_records
from graphs.models import Company, Folder, UseCase, Workspace
from graphs.objects.headers import object_for
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from graphs.site.accounts import Account
from rag.embeddings import serving_model
from rag.sources.objects.relevant import MOST
from rag.sources.registered_sources import source_of
from rag.texts.tables import decode
from tests.rag.embeddings.steps import work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def northwind(demo_workspace: Workspace) -> Company:
    return import_demo_records(demo_workspace)


@pytest.fixture
def warehouse(northwind: Company) -> Folder:
    return Folder.objects.get(company=northwind, name="Warehouse")


def told(user: User, ref: str, question: str) -> dict[str, Any]:
    member = member_of(user)
    type_, _, key = ref.partition(":")
    header = object_for(member, Ref(type_, key))
    account = Account(member.workspace.pk)
    serving_model.clear_cache()  # it may be about to be read again
    source_of(type_).retrieve(member, header, question, account)  # what a process keeps for seconds is there then
    with CaptureQueriesContext(connection) as statements:
        block = source_of(type_).retrieve(member, header, question, account)
    assert len(statements) <= 4, [each["sql"][:200] for each in statements]
    body = decode(block.body)
    assert isinstance(body, dict)
    return body


def test_a_folder_comes_with_its_company_numbers_and_use_cases(warehouse: Folder, alice: User) -> None:
    shown = told(alice, f"folder:{warehouse.pk}", "Which use cases are worth it?")
    assert shown["parentTitle"] == "Northwind Logistics"
    assert shown["above"][0]["fields"]["industry"]
    numbers = shown["holds"]["usecase"]
    assert (numbers["count"], numbers["status"]) == (6, {"draft": 3, "ready": 2, "archived": 1})
    assert sum(numbers["quadrants"].values()) == 6
    assert [axis["id"] for axis in shown["matrix"]["value"]["axes"]] == ["savings", "customers", "reach"]
    assert "matrix_config.valueAxes" not in shown["fields"]
    rows = {row["title"]: row for row in shown["held"]}
    assert len(rows) == 6
    # 3 x 8 + 2 x 3 + 1 x 13 of savings, customers and reach.
    assert rows["Picking routes"]["value"] == 43
    assert rows["Picking routes"]["status"] == "ready"


def test_a_use_case_comes_with_folder_company_and_place(warehouse: Folder, alice: User) -> None:
    picking = UseCase.objects.get(name="Picking routes")
    shown = told(alice, f"usecase:{picking.pk}", "What has to do with a camera?")
    assert [each["title"] for each in shown["above"]] == ["Warehouse", "Northwind Logistics"]
    assert shown["place"]["value"] == 43
    assert shown["beside"]["usecase"]["count"] == 6
    assert "Label check by camera" in [each["title"] for each in shown["related"]]
    assert "Picking routes" not in [each["title"] for each in shown["related"]]


def test_an_executive_summary_comes_with_what_its_folder_holds(warehouse: Folder, alice: User) -> None:
    shown = told(alice, f"executive_summary:{warehouse.pk}", "Is it right?")
    assert shown["parent"] == f"folder:{warehouse.pk}"
    assert "executive_summary.analysis" in shown["fields"]
    assert len(shown["held"]) == 6


def test_a_company_comes_with_its_folders_and_how_many_each_holds(northwind: Company, alice: User) -> None:
    work()
    shown = told(alice, f"company:{northwind.pk}", "How is incoming mail sorted?")
    assert {row["title"]: row["holds"] for row in shown["held"]} == {
        "Warehouse": {"usecase": 6}, "Customer service": {"usecase": 6}
    }  # fmt: skip
    assert any("mail" in row["title"] for row in shown["related"])


def test_words_find_what_lies_below_what_a_company_holds(northwind: Company, alice: User) -> None:
    shown = told(alice, f"company:{northwind.pk}", "Where does a camera look at labels?")
    assert "Label check by camera" in [row["title"] for row in shown["related"]]


def test_words_find_the_folders_beside_one(northwind: Company, warehouse: Folder, alice: User) -> None:
    Folder.objects.create(workspace=warehouse.workspace, name="Zeppelins")
    Folder.objects.create(workspace=warehouse.workspace, company=northwind, name="Hangar", description="For zeppelins")
    shown = told(alice, f"folder:{warehouse.pk}", "Who knows of zeppelins?")
    assert [row["title"] for row in shown["related"]] == ["Hangar"]
    assert "related" not in told(alice, f"folder:{warehouse.pk}", "Who knows of the warehouse?")


def test_of_many_below_that_have_a_word_those_with_the_rarest_come_first(northwind: Company, alice: User) -> None:
    folder = Folder.objects.create(workspace=northwind.workspace, company=northwind, name="Air")
    for number in range(3 * MOST):
        problem = "Zeppelins are slow" if number != 50 else "Zeppelins lose helium"
        UseCase.objects.create(
            workspace=folder.workspace, folder=folder, data={"name": f"Idea {number}", "problem": problem}
        )
    titles = [row["title"] for row in told(alice, f"company:{northwind.pk}", "zeppelins helium")["related"]]
    assert (titles[0], len(titles)) == ("Idea 50", MOST)


def test_of_a_thousand_use_cases_those_that_matter(warehouse: Folder, alice: User) -> None:
    UseCase.objects.bulk_create(
        UseCase(
            workspace=warehouse.workspace, folder=warehouse,
            data={"name": f"Idea {number}", "problem": "Zeppelins are slow." if number == 777 else "Long."},
        )
        for number in range(1_000)
    )  # fmt: skip
    work()
    shown = told(alice, f"folder:{warehouse.pk}", "What do we do about zeppelins?")
    assert shown["holds"]["usecase"]["count"] == 1_006
    assert shown["holds"]["usecase"]["withRatingsMissing"] >= 1_000
    assert len(shown["held"]) == MOST
    assert shown["held"][0]["title"] == "Idea 777"
    # What is most valuable and easiest has places of its own.
    assert "Label check by camera" in [row["title"] for row in shown["held"]]


def test_what_another_workspace_holds_is_not_told(warehouse: Folder, other_workspace: Workspace, alice: User) -> None:
    other = import_demo_records(other_workspace)
    UseCase.objects.filter(folder__company=other).update(data={"name": "Zeppelins"})
    work()
    shown = told(alice, f"folder:{warehouse.pk}", "zeppelins")
    assert "Zeppelins" not in str(shown)
    assert shown["holds"]["usecase"]["count"] == 6
    assert "Zeppelins" not in str(told(alice, f"company:{warehouse.company_id}", "zeppelins"))
