"""Changes of one row of a registered model that are one statement, and where they must not be."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models.signals import post_save
from django.test.utils import CaptureQueriesContext

from graphs.history import changes, editing, fast_rows
from graphs.history.outside import catch_up
from graphs.history.recording import Applied, Because
from graphs.models import ChangeSet, Company, Folder, Modification, Object, Origin, UseCase, Workspace
from graphs.models.records import Record
from graphs.objects import plain_rows
from graphs.objects.actions import ChangeRefused, UpdateObject
from graphs.objects.headers import header_of
from graphs.objects.kinds import KINDS
from graphs.objects.model_values import record_of
from graphs.objects.operations import Update
from graphs.objects.plain_rows import ReadRow
from graphs.objects.preconditions import Conflict, Conflicting
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from tests.graphs.history.test_fast_updates import while_it_waits
from tests.graphs.objects.test_many_changes import asked

pytestmark = pytest.mark.django_db
NAMES: dict[type[Record], str] = {Company: "company", Folder: "folder", UseCase: "usecase"}
SCORES = [{"axisId": "gain", "rating": 3}]
#: What records hold that is easily mistaken for something else.
VALUES: list[tuple[type[Record], str, Any, Any]] = [
    (Company, "size", "", "⟦x⟧ '%s' \\ \""),
    (Company, "products", "", "null"),
    (Company, "status", "draft", "ready"),
    (Folder, "name", "Warehouse", "W"),
    (Folder, "matrix_config.thresholds", None, {"value": 1.5, "complexity": None}),
    (Folder, "executive_summary.analysis", None, "So."),
    (UseCase, "data.name", "Picking", "Packing"),
    (UseCase, "data.benefits", None, ["Faster", "1"]),
    (UseCase, "data.benefits", None, []),
    (UseCase, "data.valueScores", None, SCORES),
    (UseCase, "data.problem", None, ""),
    (UseCase, "data.*", None, {"a": [True, 1, 0.1, None, "1", 1e21], "b": {}}),
    (UseCase, "model", "", "demo:demo"),
]


@pytest.fixture
def records(demo_workspace: Workspace) -> dict[type[Record], Record]:
    company = Company.objects.create(workspace=demo_workspace, name="Northwind")
    folder = Folder.objects.create(workspace=demo_workspace, company=company, name="Warehouse")
    case = UseCase.objects.create(workspace=demo_workspace, folder=folder, data={"name": "Picking"})
    return {Company: company, Folder: folder, UseCase: case}


@pytest.fixture
def company(records: dict[type[Record], Record]) -> Company:
    found = records[Company]
    assert isinstance(found, Company)
    return found


def header(row: Record) -> Object:
    return header_of(KINDS[NAMES[type(row)]], row.workspace_id, row)


def change(row: Record, old: dict[str, Any], new: dict[str, Any], of: Object | None = None) -> Applied:
    of = of or header(row)
    return changes.apply(of, [Update(Ref(of.type, of.key), old, new)], Because(None, Origin.MANUAL))


def modified(done: Applied) -> list[tuple[str, Any, Any]]:
    rows = Modification.objects.filter(change_set=done.change_set_id).order_by("sequence")
    return list(rows.values_list("field", "old", "new"))


def recorded_as_it_is(row: Record) -> bool:
    """Whether the history has the row as it is stored, and found nothing that others had saved."""
    row.refresh_from_db()
    of = header(row)
    catch_up([of])
    is_known = of.as_recorded == record_of(KINDS[of.type], row)
    return is_known and not ChangeSet.objects.filter(origin=Origin.OUTSIDE).exists()


@pytest.mark.parametrize(("model", "field", "old", "new"), VALUES)
def test_every_value_is_stored_recorded_and_expected_again(
    records: dict[type[Record], Record], model: type[Record], field: str, old: Any, new: Any
) -> None:
    row = records[model]
    kind, of = KINDS[NAMES[model]], header(row)
    with CaptureQueriesContext(connection) as captured:
        done = change(row, {field: old}, {field: new}, of)
    assert len(asked(captured)) == 2, asked(captured)
    row.refresh_from_db()
    assert record_of(kind, row)[field] == new
    assert modified(done) == [(field, old, new)]
    assert recorded_as_it_is(row)
    change(row, {field: new}, {field: old}, of)
    assert recorded_as_it_is(row)
    assert (header(row).version, record_of(kind, row)[field]) == (3, old)


def change_at_hand(of: Object, read: ReadRow, old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Changes an object whose row was read before; gives the statements that took."""
    ref = Ref(of.type, of.key)
    with CaptureQueriesContext(connection) as captured:
        changes.apply(of, [Update(ref, old, new)], Because(None, Origin.MANUAL), rows={ref: read})
    return asked(captured)


def at_hand(row: Record) -> tuple[Object, ReadRow]:
    of = header(row)
    read = plain_rows.read(KINDS[of.type], of)
    assert read is not None
    return of, read


@pytest.mark.parametrize(("model", "field", "old", "new"), VALUES)
def test_a_row_at_hand_is_changed_in_one_statement(
    records: dict[type[Record], Record], model: type[Record], field: str, old: Any, new: Any
) -> None:
    row = records[model]
    of, read = at_hand(row)
    assert len(change_at_hand(of, read, {field: old}, {field: new})) == 1
    assert recorded_as_it_is(row)
    assert (header(row).version, record_of(KINDS[of.type], row)[field]) == (2, new)


def test_a_row_that_others_saved_since_it_was_read_is_looked_at_again(company: Company) -> None:
    of, read = at_hand(company)
    Company.objects.filter(pk=company.pk).update(industry="Transport")
    assert len(change_at_hand(of, read, {"size": ""}, {"size": "7"})) > 1
    company.refresh_from_db()
    assert (company.size, company.industry, header(company).version) == ("7", "Transport", 2)
    change_at_hand(of, read, {"industry": "Transport"}, {"industry": "Trade"})
    with pytest.raises(Conflicting) as refused:
        change_at_hand(of, read, {"industry": ""}, {"industry": "Law"})
    assert [each.found for each in refused.value.conflicts] == ["Trade"]


def test_what_was_changed_since_it_was_read_is_not_written_over(company: Company) -> None:
    of, read = at_hand(company)
    Company.objects.filter(pk=company.pk).update(size="8")
    with pytest.raises(Conflicting) as refused:
        change_at_hand(of, read, {"size": ""}, {"size": "7"})
    assert refused.value.conflicts == (Conflict(Ref("company", of.key), "size", "", "8"),)
    assert (header(company).version, ChangeSet.objects.count()) == (1, 0)


def test_a_row_at_hand_that_is_gone_or_elsewhere_by_now_is_a_conflict(
    records: dict[type[Record], Record], other_workspace: Workspace
) -> None:
    moved, gone = records[UseCase], records[Company]
    of, read = at_hand(moved)
    UseCase.objects.filter(pk=moved.pk).update(workspace=other_workspace)
    with pytest.raises(Conflicting) as refused:
        change_at_hand(of, read, {"status": "draft"}, {"status": "ready"})
    assert [each.found for each in refused.value.conflicts] == [None]
    of, read = at_hand(gone)
    gone.delete()
    with pytest.raises(Conflicting):
        change_at_hand(of, read, {"status": "draft"}, {"status": "ready"})


def test_the_model_validates_a_row_at_hand(records: dict[type[Record], Record]) -> None:
    of, read = at_hand(records[UseCase])
    with pytest.raises(ChangeRefused, match=r"data\.valueScores\.0\.rating: This must be at most 5"):
        change_at_hand(of, read, {"data.valueScores": None}, {"data.valueScores": [{"axisId": "gain", "rating": 6}]})
    assert (header(records[UseCase]).version, ChangeSet.objects.count()) == (1, 0)


def test_an_edit_by_hand_reads_the_row_for_its_plan_and_no_more(company: Company, alice: User) -> None:
    of = header(company)
    catch_up([of])
    named = UpdateObject.model_validate({"object": f"company:{of.key}", "updates": {"size": "7"}})
    with CaptureQueriesContext(connection) as captured:
        editing.edit(member_of(alice), of, editing.Request([named]))
    tables = [query for query in asked(captured) if '"graphs_company"' in query]
    assert len(tables) == 3, tables  # what is there, for the plan once it is held, and written
    assert recorded_as_it_is(company)


def test_the_moment_of_the_change_and_the_name_for_lists_are_kept_true(records: dict[type[Record], Record]) -> None:
    row = records[UseCase]
    before = row.updated_at
    done = change(row, {"data.name": "Picking"}, {"data.name": "Packing"})
    found = UseCase.objects.get(pk=row.pk)
    assert found.updated_at > before
    assert found.name == "Packing"
    assert (done.objects[0].label, done.objects[0].version) == ("Packing", 2)
    assert done.touched == {("usecase", "data.name")}


def test_two_fields_are_one_change(company: Company) -> None:
    done = change(company, {"size": "", "industry": ""}, {"size": "7", "industry": "Transport"})
    assert modified(done) == [("industry", "", "Transport"), ("size", "", "7")]
    assert recorded_as_it_is(company)


def test_what_is_not_as_expected_is_named_and_stays(company: Company) -> None:
    of = header(company)
    Company.objects.filter(pk=company.pk).update(size="8")
    with pytest.raises(Conflicting) as refused:
        change(company, {"size": ""}, {"size": "7"})
    assert refused.value.conflicts == (Conflict(Ref("company", of.key), "size", "", "8"),)
    assert (Object.objects.get(pk=of.pk).version, ChangeSet.objects.count()) == (1, 0)


def test_what_the_model_refuses_stays(records: dict[type[Record], Record]) -> None:
    row = records[UseCase]
    with pytest.raises(ChangeRefused, match=r"data\.valueScores\.0\.rating: This must be at most 5"):
        change(row, {"data.valueScores": None}, {"data.valueScores": [{"axisId": "gain", "rating": 6}]})
    with pytest.raises(ChangeRefused, match="status: Value 'new' is not a valid choice"):
        change(row, {"status": "draft"}, {"status": "new"})
    row.refresh_from_db()
    assert (row.status, ChangeSet.objects.count(), header(row).version) == ("draft", 0, 1)


def test_a_row_of_another_workspace_by_now_is_gone_from_this_one(company: Company, other_workspace: Workspace) -> None:
    of = header(company)
    Company.objects.filter(pk=company.pk).update(workspace=other_workspace)
    with pytest.raises(Conflicting) as refused:
        change(company, {"size": ""}, {"size": "7"}, of)
    assert [each.found for each in refused.value.conflicts] == [None]
    assert Company.objects.get(pk=company.pk).size == ""


def test_what_the_model_makes_of_other_columns_is_part_of_it(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Company, "clean", lambda row: setattr(row, "industry", f"{row.size} large"))
    done = change(company, {"size": ""}, {"size": "7"})
    assert modified(done) == [("industry", "", "7 large"), ("size", "", "7")]
    assert recorded_as_it_is(company)


def test_what_the_model_makes_of_its_json_in_place_is_part_of_it(
    records: dict[type[Record], Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    row = records[UseCase]
    UseCase.objects.filter(pk=row.pk).update(data={"name": "Picking", "other": {"deep": [1]}})
    monkeypatch.setattr(UseCase, "clean", lambda row: row.data["other"]["deep"].append(2))
    done = change(row, {"data.problem": None}, {"data.problem": "Long ways."})
    assert modified(done)[1:] == [("data.*", {"other": {"deep": [1]}}, {"other": {"deep": [1, 2]}})]
    assert recorded_as_it_is(row)


def test_what_a_trigger_of_the_database_makes_of_it_is_part_of_it(company: Company) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION loudly() RETURNS trigger LANGUAGE plpgsql AS "
            "'BEGIN NEW.industry = upper(NEW.size); RETURN NEW; END'"
        )
        cursor.execute("CREATE TRIGGER loud BEFORE UPDATE ON graphs_company FOR EACH ROW EXECUTE FUNCTION loudly()")
    done = change(company, {"size": ""}, {"size": "seven"})
    assert modified(done) == [("industry", "", "SEVEN"), ("size", "", "seven")]
    assert recorded_as_it_is(company)


def test_what_a_receiver_makes_of_it_is_part_of_it(company: Company) -> None:
    def derive(instance: Company, **_options: Any) -> None:
        Company.objects.filter(pk=instance.pk).update(industry=f"{instance.size} large")

    post_save.connect(derive, sender=Company)
    try:
        done = change(company, {"size": ""}, {"size": "7"})
    finally:
        post_save.disconnect(derive, sender=Company)
    assert modified(done) == [("industry", "", "7 large"), ("size", "", "7")]
    assert recorded_as_it_is(company)


def test_a_model_with_a_save_of_its_own_saves_itself(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[str] = []
    save = Company.save
    monkeypatch.setattr(Company, "save", lambda row, **options: (saved.append(row.size), save(row, **options)))
    change(company, {"size": ""}, {"size": "7"})
    assert saved == ["7"]


def test_a_parent_is_looked_at_step_by_step(records: dict[type[Record], Record], other_workspace: Workspace) -> None:
    row, foreign = records[UseCase], Folder.objects.create(workspace=other_workspace, name="Foreign")
    with pytest.raises(ChangeRefused):
        change(row, {"parent": str(records[Folder].pk)}, {"parent": str(foreign.pk)})
    row.refresh_from_db()
    assert isinstance(row, UseCase)
    assert row.folder_id == records[Folder].pk


def test_the_history_hears_of_no_save_of_its_own(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []
    monkeypatch.setattr("graphs.history.outside._notice_row", heard.append)
    change(company, {"size": ""}, {"size": "7"})
    assert heard == []


@pytest.mark.django_db(transaction=True)
def test_what_changed_while_it_waited_is_compared_as_it_is_then(company: Company, alice: User) -> None:
    of = header(company)
    late = while_it_waits(
        lambda: change(company, {"size": ""}, {"size": "7"}, of) and None,
        lambda: change(company, {"size": ""}, {"size": "8"}, of) and None,
    )
    refusal = late.exception()
    assert isinstance(refusal, Conflicting), refusal
    assert refusal.conflicts == (Conflict(Ref("company", of.key), "size", "", "7"),)


@pytest.mark.django_db(transaction=True)
def test_two_fields_that_two_people_change_at_once_both_hold(company: Company) -> None:
    of = header(company)
    change(company, {"products": ""}, {"products": "Pallets"}, of)
    late = while_it_waits(
        lambda: change(company, {"size": ""}, {"size": "7"}, of) and None,
        lambda: change(company, {"industry": ""}, {"industry": "Transport"}, of) and None,
    )
    assert late.exception() is None
    company.refresh_from_db()
    assert (company.size, company.industry, header(company).version) == ("7", "Transport", 4)
    assert recorded_as_it_is(company)


@pytest.mark.parametrize("name", ["company", "folder", "usecase"])
def test_records_go_this_way(name: str) -> None:
    of = Object(pk=1, type=name, key="0")
    title = KINDS[name].title
    (asked_for,) = (changes.ObjectChange(of, (Update(Ref(name, "0"), {title: "A"}, {title: "B"}),)),)
    assert fast_rows.fits(asked_for)
