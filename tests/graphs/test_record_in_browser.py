"""The page of a record in real browsers, at a site of its own: editing in place, with others there."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from graphs.history.outside import catch_up
from graphs.models import ChangeSet, Company, Folder, Membership, Object, Role, UseCase
from graphs.models.records import Record
from graphs.objects.headers import header_of
from graphs.objects.kinds import KINDS
from tests.browser import TIMEOUT, Windows, sign_in
from tests.cast import signed_in
from tests.doors.naughty import NAUGHTY
from tests.graphs.api.callers import post_json
from tests.graphs.records.asking import TYPES, change, create, update
from tests.graphs.records.conftest import AXES
from tests.graphs.records.portfolio import Portfolio
from tests.site import Site

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ADDRESSES = {"company": "companies", "folder": "folders", "usecase": "use-cases"}
Open = Callable[..., Page]


@pytest.fixture
def started(lasting_site: Site, portfolio: Portfolio, alice: User, bob: User) -> Site:
    Membership.objects.create(
        user=User.objects.create_user("dora"), workspace=portfolio.workspace, role=Role.EDITOR
    )  # fmt: skip
    for record in (portfolio.company, portfolio.folder, *portfolio.use_cases):
        catch_up([header_of(KINDS[TYPES[type(record).__name__]], record.workspace_id, record)])
    return lasting_site


@pytest.fixture
def visit(windows: Windows, started: Site) -> Iterator[Open]:
    """Opens the page of a record for somebody in a window of their own; nothing goes wrong in it."""
    complaints: list[str] = []

    def opened(record: Record, person: str = "alice", query: str = "", **look: Any) -> Page:
        page = windows.open(**look)
        page.context.set_default_timeout(TIMEOUT)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if "Security Policy" in said.text else None)
        sign_in(page.context, User.objects.get(username=person), started.web.url)
        page.goto(f"{started.web.url}/{ADDRESSES[TYPES[type(record).__name__]]}/{record.pk}/{query}")
        return page

    yield opened
    assert complaints == []


def field(page: Page, path: str) -> Locator:
    return page.locator(f'[data-path="{path}"]')


def edit(page: Page, path: str) -> Locator:
    """The first control of the field, which is opened."""
    field(page, path).locator("[data-edit]").click()
    control = field(page, path).locator("input, textarea, select").first
    expect(control).to_be_focused()
    return control


def value(page: Page, path: str) -> Locator:
    return field(page, path).locator("[data-value]")


def by_hand(person: str, record: Record, **fields: Any) -> None:
    answer = update(signed_in(User.objects.get(username=person)), record, **fields)
    assert answer.status_code == 201, answer.content


def test_a_text_is_edited_by_keyboard_with_a_preview(visit: Open, portfolio: Portfolio) -> None:
    page = visit(portfolio.use_cases[0])
    area = edit(page, "data.problem")
    expect(area).to_have_value("Optimise where goods lie.")
    area.fill("Goods lie **anywhere**.")
    form = field(page, "data.problem").locator("form")
    form.get_by_role("button", name="Preview").click()
    expect(form.locator("markdown-text strong")).to_have_text("anywhere")
    form.get_by_role("button", name="Write").click()
    expect(area).to_be_focused()
    page.keyboard.press("Control+Enter")
    expect(form).to_have_count(0)
    expect(field(page, "data.problem").locator("[data-edit]")).to_be_focused()
    expect(value(page, "data.problem").locator("strong")).to_have_text("anywhere")
    portfolio.use_cases[0].refresh_from_db()
    assert portfolio.use_cases[0].data["problem"] == "Goods lie **anywhere**."
    assert portfolio.use_cases[0].data["name"] == "Slot planning"


def test_naughty_texts_are_saved_as_they_were_typed(visit: Open, portfolio: Portfolio) -> None:
    page, case = visit(portfolio.use_cases[0]), portfolio.use_cases[0]
    for name in ("bidi override", "zalgo", "script", "svg", "template", "json", "leading equals", "markdown", "blank"):
        edit(page, "data.problem").fill(NAUGHTY[name])
        page.keyboard.press("Control+Enter")
        expect(field(page, "data.problem").locator("form")).to_have_count(0)
        case.refresh_from_db()
        assert case.data["problem"] == NAUGHTY[name]
        expect(value(page, "data.problem")).to_have_attribute(
            "data-value", json.dumps(NAUGHTY[name], ensure_ascii=False)
        )
    assert page.locator("[onload], [onmouseover], a[name=n], img[src*=evil]").count() == 0


def test_escape_asks_before_it_loses_what_was_typed(visit: Open, portfolio: Portfolio) -> None:
    page = visit(portfolio.company)
    edit(page, "industry")
    page.keyboard.press("Escape")
    expect(field(page, "industry").locator("form")).to_have_count(0)
    edit(page, "industry").fill("Rail")
    page.keyboard.press("Escape")
    question = page.get_by_role("alertdialog")
    expect(question).to_contain_text("What you typed is not saved.")
    expect(question.get_by_role("button", name="Go on writing")).to_be_focused()
    page.keyboard.press("Escape")
    expect(question).to_have_count(0)
    expect(field(page, "industry").locator("input")).to_have_value("Rail")
    page.keyboard.press("Escape")
    question.get_by_role("button", name="Discard it").click()
    expect(field(page, "industry").locator("form")).to_have_count(0)
    expect(value(page, "industry")).to_have_text("nothing yet")


def test_what_is_typed_survives_a_reload(visit: Open, portfolio: Portfolio) -> None:
    page = visit(portfolio.company)
    edit(page, "products").fill("Parcels, and")
    page.reload()
    area = field(page, "products").locator("textarea")
    expect(area).to_have_value("Parcels, and")
    area.press("Control+Enter")
    expect(value(page, "products")).to_contain_text("Parcels, and")
    page.reload()
    expect(value(page, "products")).to_contain_text("Parcels, and")
    expect(page.locator("form.field-form")).to_have_count(0)


def test_lists_are_edited_as_lines(visit: Open, portfolio: Portfolio) -> None:
    page = visit(portfolio.use_cases[0])
    edit(page, "data.benefits").fill("Faster")
    page.keyboard.press("Enter")
    page.keyboard.type("Cheaper")
    page.keyboard.press("Enter")
    page.keyboard.press("Backspace")
    page.keyboard.press("Control+Enter")
    expect(value(page, "data.benefits").locator("li .markdown")).to_have_text(["Faster", "Cheaper"])
    portfolio.use_cases[0].refresh_from_db()
    assert portfolio.use_cases[0].data["benefits"] == ["Faster", "Cheaper"]


def test_each_line_that_comes_at_once_is_a_text_of_its_own(visit: Open, portfolio: Portfolio) -> None:
    page, case = visit(portfolio.use_cases[0]), portfolio.use_cases[0]
    edit(page, "data.benefits").fill("Faster\nCheaper\n\nSafer")
    expect(field(page, "data.benefits").locator("textarea")).to_have_count(3)
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("for all")
    page.keyboard.press("Control+Enter")
    expect(value(page, "data.benefits").locator("li .markdown")).to_have_count(3)
    case.refresh_from_db()
    assert case.data["benefits"] == ["Faster", "Cheaper", "Safer\nfor all"]
    # What has breaks of its own keeps them while it is edited.
    field(page, "data.benefits").locator("[data-edit]").click()
    field(page, "data.benefits").locator("textarea").last.press_sequentially("!")
    page.keyboard.press("Control+Enter")
    expect(value(page, "data.benefits")).to_contain_text("for all!")
    case.refresh_from_db()
    assert case.data["benefits"] == ["Faster", "Cheaper", "Safer\nfor all!"]


def test_a_text_in_the_place_of_a_list_is_edited_line_by_line(visit: Open, portfolio: Portfolio) -> None:
    case = portfolio.use_cases[0]
    by_hand("alice", case, **{"data.risks": "- Late\n- Dear"})
    page = visit(case)
    field(page, "data.risks").locator("[data-edit]").click()
    areas = field(page, "data.risks").locator("textarea")
    expect(areas).to_have_count(2)
    areas.first.fill("Too late")
    areas.first.press("Control+Enter")
    expect(value(page, "data.risks").locator("li .markdown")).to_have_text(["Too late", "Dear"])


def test_scores_are_given_by_the_axes_of_the_folder(visit: Open, portfolio: Portfolio) -> None:
    Folder.objects.filter(pk=portfolio.folder.pk).update(matrix_config=AXES)
    page = visit(portfolio.use_cases[0])
    edit(page, "data.valueScores").select_option(label="1 – low")
    page.get_by_label("Why, of Gain").fill("Little to win.")
    page.get_by_label("Why, of Gain").press("Control+Enter")
    expect(value(page, "data.valueScores").locator(".rating")).to_contain_text("1")
    portfolio.use_cases[0].refresh_from_db()
    wanted = [{"axisId": "gain", "rating": 1, "description": "Little to win."}]
    assert portfolio.use_cases[0].data["valueScores"] == wanted


def test_axes_are_fields_of_the_folder(visit: Open, portfolio: Portfolio) -> None:
    page = visit(portfolio.folder)
    section = field(page, "matrix_config.valueAxes")
    section.locator("[data-edit]").click()
    section.get_by_role("button", name="Add an axis").click()
    section.get_by_label("Name of the axis").fill("Gain for àll, Été")
    section.get_by_label("Weight").fill("3")
    section.get_by_label("Weight").press("Control+Enter")
    expect(value(page, "matrix_config.valueAxes").get_by_role("row")).to_have_count(2)
    portfolio.folder.refresh_from_db()
    assert portfolio.folder.matrix_config["valueAxes"] == [
        {"id": "gain-for-all-ete", "name": "Gain for àll, Été", "weight": 3}
    ]


def test_a_weight_that_is_missing_is_asked_for_and_not_taken_for_nought(visit: Open, portfolio: Portfolio) -> None:
    by_hand("alice", portfolio.folder, **{"matrix_config.valueAxes": [{"id": "gain", "name": "Gain", "weight": 3}]})
    page = visit(portfolio.folder)
    section = field(page, "matrix_config.valueAxes")
    section.locator("[data-edit]").click()
    section.get_by_label("Weight").fill("")
    section.get_by_label("Weight").press("Control+Enter")
    expect(section.get_by_role("alert")).to_have_text("Gain: a weight is missing. With 0 the axis counts nothing.")
    section.get_by_label("Weight").press("e")
    section.get_by_label("Weight").press("Control+Enter")
    expect(section.get_by_role("alert")).to_have_text("Gain: Weight: this is no number.")
    portfolio.folder.refresh_from_db()
    assert portfolio.folder.matrix_config["valueAxes"][0]["weight"] == 3
    section.get_by_label("Weight").fill("-3")
    section.get_by_label("Weight").press("Control+Enter")
    expect(section.get_by_role("alert")).to_have_text("Entry 1, weight: This must be at least 0.")
    section.get_by_label("Weight").fill("0")
    section.get_by_label("Weight").press("Control+Enter")
    expect(value(page, "matrix_config.valueAxes").locator(".number").last).to_have_text("0")


def test_a_threshold_that_is_no_number_is_refused(visit: Open, portfolio: Portfolio) -> None:
    page = visit(portfolio.folder)
    section = field(page, "matrix_config.thresholds")
    section.locator("[data-edit]").click()
    section.get_by_label("Value is high from").press("e")
    section.get_by_label("Value is high from").press("Control+Enter")
    expect(section.get_by_role("alert")).to_have_text("Value is high from: this is no number.")


def test_a_conflict_of_long_texts_shows_what_differs(visit: Open, portfolio: Portfolio) -> None:
    words = [f"word{number}" for number in range(900)]
    case = portfolio.use_cases[0]
    by_hand("alice", case, **{"data.problem": " ".join(words)})
    page = visit(case)
    edit(page, "data.problem").fill(" ".join([*words[:700], "mine", *words[701:]]))
    by_hand("dora", case, **{"data.problem": " ".join([*words[:700], "theirs", *words[701:]])})
    page.keyboard.press("Control+Enter")
    marks = page.get_by_role("alertdialog").locator("mark")
    expect(marks).to_have_text(["theirs", "mine"])
    for mark in marks.all():
        expect(mark).to_be_in_viewport()


def test_a_conflict_of_scores_calls_axes_by_their_titles(visit: Open, portfolio: Portfolio) -> None:
    Folder.objects.filter(pk=portfolio.folder.pk).update(matrix_config=AXES)
    case = portfolio.use_cases[0]
    by_hand("alice", case, **{"data.valueScores": [{"axisId": "gain", "rating": 1}]})
    page = visit(case)
    field(page, "data.valueScores").locator("[data-edit]").click()
    field(page, "data.valueScores").locator("select").first.select_option("5")
    by_hand("dora", case, **{"data.valueScores": [{"axisId": "gain", "rating": 3}]})
    page.keyboard.press("Control+Enter")
    sides = page.get_by_role("alertdialog").locator(".field-side")
    expect(sides).to_have_text(["Gain: rating 3", "Gain: rating 5"])


def test_a_refusal_stands_beside_the_field_in_words(visit: Open, portfolio: Portfolio) -> None:
    page = visit(portfolio.company)
    edit(page, "name").fill(" ")
    page.keyboard.press("Control+Enter")
    problem = field(page, "name").get_by_role("alert")
    expect(problem).not_to_be_empty()
    expect(problem).not_to_contain_text("name:")
    expect(field(page, "name").locator("input")).to_have_value(" ")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Discard it").click()
    # Only where there is little room left is it said how much.
    edit(page, "size").fill("x" * 100)
    counter = field(page, "size").locator(".field-counter")
    expect(counter).to_be_hidden()
    field(page, "size").locator("input").fill("x" * 190)
    expect(counter).to_have_text("10 characters left")
    field(page, "size").locator("input").fill("x" * 201)
    expect(counter).to_have_text("1 characters too many")


def test_other_data_is_edited_as_json(visit: Open, portfolio: Portfolio) -> None:
    page = visit(portfolio.use_cases[0])
    edit(page, "data.*").fill("{no")
    page.keyboard.press("Control+Enter")
    expect(field(page, "data.*").get_by_role("alert")).to_have_text("This is no JSON.")
    field(page, "data.*").locator("textarea").fill('{"owner": "Ann"}')
    page.keyboard.press("Control+Enter")
    expect(value(page, "data.*")).to_contain_text('"owner": "Ann"')


def conflict(visit: Open, company: Company) -> Page:
    """Alice wants to save what dora changed meanwhile."""
    page = visit(company)
    edit(page, "industry").fill("Rail")
    by_hand("dora", company, industry="Air")
    expect(field(page, "industry").get_by_text("This was changed meanwhile.")).to_be_visible()
    page.keyboard.press("Control+Enter")
    sides = page.get_by_role("alertdialog")
    expect(sides).to_contain_text("dora changed this meanwhile")
    expect(sides.locator(".field-side")).to_have_text(["Air", "Rail"])
    company.refresh_from_db()
    assert company.industry == "Air"
    return page


def test_two_people_change_one_field_and_mine_holds(visit: Open, portfolio: Portfolio) -> None:
    page = conflict(visit, portfolio.company)
    page.get_by_role("button", name="Use mine").click()
    expect(value(page, "industry")).to_have_text("Rail")
    portfolio.company.refresh_from_db()
    assert portfolio.company.industry == "Rail"


def test_two_people_change_one_field_and_theirs_holds(visit: Open, portfolio: Portfolio) -> None:
    page = conflict(visit, portfolio.company)
    page.get_by_role("button", name="Keep theirs").click()
    expect(value(page, "industry")).to_have_text("Air")
    # What was typed is put aside, not lost.
    page.get_by_role("button", name="Take mine up again").click()
    expect(field(page, "industry").locator("input")).to_have_value("Rail")
    page.keyboard.press("Control+Enter")
    expect(value(page, "industry")).to_have_text("Rail")


def test_two_people_change_two_fields_and_both_hold(visit: Open, portfolio: Portfolio) -> None:
    page = visit(portfolio.company)
    edit(page, "industry").fill("Rail")
    by_hand("dora", portfolio.company, size="100 people")
    expect(value(page, "size")).to_have_text("100 people")
    expect(field(page, "industry").locator("input")).to_have_value("Rail")
    page.keyboard.press("Control+Enter")
    expect(value(page, "industry")).to_have_text("Rail")
    portfolio.company.refresh_from_db()
    assert (portfolio.company.industry, portfolio.company.size) == ("Rail", "100 people")


def test_undo_and_redo_by_keys_and_buttons_also_after_a_reload(visit: Open, portfolio: Portfolio) -> None:
    page = visit(portfolio.company)
    edit(page, "industry").fill("Rail")
    page.keyboard.press("Control+Enter")
    expect(value(page, "industry")).to_have_text("Rail")
    page.reload()
    page.keyboard.press("Control+z")
    expect(value(page, "industry")).to_have_text("nothing yet")
    expect(page.locator(".undo-said")).to_have_text("Undone.")
    page.get_by_role("button", name="Redo", exact=True).click()
    expect(value(page, "industry")).to_have_text("Rail")
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(value(page, "industry")).to_have_text("nothing yet")
    page.keyboard.press("Control+Shift+z")
    expect(value(page, "industry")).to_have_text("Rail")
    # In a field the keys are those of the field.
    edit(page, "size").press_sequentially("10")
    page.keyboard.press("Control+z")
    expect(value(page, "industry")).to_have_text("Rail")
    assert ChangeSet.objects.filter(origin="rollback").count() == 4


def test_an_undo_over_a_later_change_asks(visit: Open, portfolio: Portfolio) -> None:
    page = visit(portfolio.company)
    edit(page, "industry").fill("Rail")
    page.keyboard.press("Control+Enter")
    expect(value(page, "industry")).to_have_text("Rail")
    by_hand("dora", portfolio.company, industry="Air")
    expect(value(page, "industry")).to_have_text("Air")
    page.keyboard.press("Control+z")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("dora")
    dialog.get_by_role("button", name="Cancel").click()
    expect(value(page, "industry")).to_have_text("Air")
    expect(page.get_by_role("button", name="Undo", exact=True)).to_be_enabled()


def test_others_are_seen_where_they_write(visit: Open, portfolio: Portfolio) -> None:
    alice, dora = visit(portfolio.company), visit(portfolio.company, "dora")
    expect(alice.locator("[data-people]")).to_contain_text("dora")
    edit(dora, "products")
    expect(field(alice, "products")).to_contain_text("dora writes here")
    expect(field(alice, "industry")).not_to_contain_text("dora")
    dora.keyboard.press("Escape")
    expect(field(alice, "products")).not_to_contain_text("dora")
    dora.goto("about:blank")
    expect(alice.locator("[data-people]")).not_to_contain_text("dora")


def test_deleting_says_what_goes_and_everybody_sees_it(visit: Open, portfolio: Portfolio) -> None:
    page, viewer = visit(portfolio.company), visit(portfolio.company, "bob")
    expect(page.locator("[data-people]")).to_contain_text("bob")
    page.get_by_role("button", name="Delete…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("folders (1), use cases (2)")
    dialog.get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator("[data-gone]")).to_contain_text("This was deleted by alice.")
    expect(page.locator("[data-gone]")).to_be_focused()
    expect(viewer.locator("[data-gone]")).to_contain_text("This was deleted by alice.")
    expect(viewer.get_by_role("button", name="Undo")).to_have_count(0)
    assert UseCase.objects.count() == 0
    page.reload()
    page.get_by_role("button", name="Undo").click()
    expect(value(page, "name")).to_have_text("Northwind")
    assert UseCase.objects.count() == 2


def test_what_was_typed_is_shown_when_a_record_goes_and_the_page_comes_back_with_it(
    visit: Open, portfolio: Portfolio
) -> None:
    page = visit(portfolio.company)
    edit(page, "products").fill("Parcels, and")
    dora = signed_in(User.objects.get(username="dora"))
    gone = change(dora, portfolio.company, "delete_object")
    assert gone.status_code == 201
    expect(page.locator("[data-gone]")).to_contain_text("This was deleted by dora.")
    expect(page.locator("[data-typed]")).to_contain_text("What you typed is kept in this tab.")
    expect(page.locator("[data-typed] dd")).to_have_text("Parcels, and")
    assert post_json(dora, f"/api/v1/history/{gone.json()['id']}/rollback", {}).status_code == 201
    expect(field(page, "products").locator("textarea")).to_have_value("Parcels, and")


def test_the_dialog_of_a_deletion_counts_what_is_there_now(visit: Open, portfolio: Portfolio) -> None:
    page = visit(portfolio.company)
    dora = signed_in(User.objects.get(username="dora"))
    assert create(dora, "usecase", portfolio.folder, **{"data.name": "Returns"}).status_code == 201
    page.get_by_role("button", name="Delete…").click()
    expect(page.get_by_role("dialog")).to_contain_text("folders (1), use cases (3)")


def test_the_history_counts_what_went_in_the_words_of_its_kinds(visit: Open, portfolio: Portfolio) -> None:
    folder = portfolio.folder
    UseCase.objects.bulk_create(
        UseCase(workspace=folder.workspace, folder=folder, data={"name": f"Case {number}"}) for number in range(20)
    )
    alice = signed_in(User.objects.get(username="alice"))
    gone = change(alice, portfolio.company, "delete_object")
    assert gone.status_code == 201
    assert post_json(alice, f"/api/v1/history/{gone.json()['id']}/rollback", {}).status_code == 201
    page = visit(portfolio.company, query="?tab=history")
    titles = page.locator(".history-entry h3")
    expect(titles.filter(has_text="Delete").first).to_have_text(
        re.compile("^Delete Northwind, (1 folder, and 22 use cases|22 use cases, and 1 folder)$")
    )


def test_a_use_case_is_moved_to_another_folder(visit: Open, portfolio: Portfolio) -> None:
    other = Folder.objects.create(workspace=portfolio.workspace, name="Yard")
    page = visit(portfolio.use_cases[0])
    page.get_by_role("button", name="Move…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("searchbox").fill("yar")
    expect(dialog.get_by_role("radio")).to_have_count(1)
    dialog.get_by_role("radio", name="Yard").check()
    dialog.get_by_role("button", name="Move", exact=True).click()
    expect(page.locator(".record-head .back")).to_have_text("Yard")
    portfolio.use_cases[0].refresh_from_db()
    assert portfolio.use_cases[0].folder == other
    page.keyboard.press("Control+z")
    expect(page.locator(".record-head .back")).to_have_text("Warehouse")
    page.get_by_role("button", name="Redo", exact=True).click()
    expect(page.locator(".record-head .back")).to_have_text("Yard")
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.locator(".record-head .back")).to_have_text("Warehouse")


def test_moving_tells_where_it_stands_and_where_each_place_is(visit: Open, portfolio: Portfolio) -> None:
    other = Company.objects.create(workspace=portfolio.workspace, name="Contoso")
    Folder.objects.create(workspace=portfolio.workspace, company=other, name="Warehouse")
    page = visit(portfolio.use_cases[0])
    page.get_by_role("button", name="Move…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Now in: Northwind / Warehouse")
    expect(dialog.locator(".holder-list label")).to_have_text(
        [
            "held by nothing",
            re.compile("^Warehouse(Contoso · use cases: 0|Northwind · use cases: 2 · it stands here now)$"),
            re.compile("^Warehouse(Contoso · use cases: 0|Northwind · use cases: 2 · it stands here now)$"),
        ]
    )
    dialog.get_by_role("button", name="Move", exact=True).click()
    expect(dialog.get_by_role("alert")).to_have_text("It stands there already. Choose another place.")


def test_of_thousands_of_places_one_is_found_by_keyboard(visit: Open, portfolio: Portfolio) -> None:
    Folder.objects.bulk_create(
        Folder(workspace=portfolio.workspace, company=portfolio.company, name=f"Yard {number:04}")
        for number in range(3_000)
    )
    page = visit(portfolio.use_cases[0], viewport={"width": 390, "height": 844})
    page.get_by_role("button", name="Move…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("radio")).to_have_count(51)
    dialog.get_by_role("button", name="Show more").click()
    expect(dialog.get_by_role("radio")).to_have_count(101)
    expect(dialog.get_by_role("radio").nth(51)).to_be_focused()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    dialog.get_by_role("searchbox").fill("ard 29")
    expect(dialog.get_by_role("radio")).to_have_count(50)
    expect(dialog.get_by_role("button", name="Show more")).to_be_visible()
    dialog.get_by_role("searchbox").fill("yard 2999")
    expect(dialog.get_by_role("radio")).to_have_count(1)
    dialog.get_by_role("searchbox").press("Enter")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    expect(dialog.get_by_role("button", name="Move", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".record-head .back")).to_have_text("Yard 2999")


def test_a_status_of_several_is_taken_back_beside_the_notice(visit: Open, portfolio: Portfolio) -> None:
    page = visit(portfolio.folder)
    page.goto(page.url.split("/folders/")[0] + "/use-cases/?status=draft")
    page.get_by_role("checkbox", name="Choose Slot planning").check()
    page.get_by_label("New status").select_option("archived")
    page.get_by_role("button", name="Set the status").click()
    notice = page.locator(".notice")
    expect(notice).to_contain_text("1 record is “archived” now.")
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    notice.get_by_role("button", name="Undo").click()
    expect(notice).to_have_text("Undone.")
    expect(page.get_by_role("checkbox", name="Choose Slot planning")).to_be_visible()
    portfolio.use_cases[0].refresh_from_db()
    assert portfolio.use_cases[0].status == "draft"
    page.reload()
    expect(notice).to_have_count(0)


def test_a_status_that_others_changed_since_is_not_taken_back(visit: Open, portfolio: Portfolio) -> None:
    page = visit(portfolio.folder)
    page.goto(page.url.split("/folders/")[0] + "/use-cases/")
    page.get_by_role("checkbox", name="Choose Slot planning").check()
    page.get_by_label("New status").select_option("archived")
    page.get_by_role("button", name="Set the status").click()
    by_hand("dora", portfolio.use_cases[0], status="ready")
    page.locator(".notice").get_by_role("button", name="Undo").click()
    expect(page.locator(".notice").get_by_role("alert")).not_to_be_empty()
    portfolio.use_cases[0].refresh_from_db()
    assert portfolio.use_cases[0].status == "ready"


def test_a_record_is_duplicated(visit: Open, portfolio: Portfolio) -> None:
    page = visit(portfolio.folder)
    page.get_by_role("button", name="Duplicate…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Also what it holds").check()
    dialog.get_by_role("button", name="Duplicate", exact=True).click()
    expect(value(page, "name")).to_have_text("Warehouse (copy)")
    assert UseCase.objects.count() == 4


def test_an_editor_says_that_an_import_was_looked_through(visit: Open, portfolio: Portfolio) -> None:
    header = Object.objects.filter(type="company", key=str(portfolio.company.pk))
    header.update(untrusted_since=timezone.now(), untrusted_by="dora")
    viewer = visit(portfolio.company, "bob")
    expect(viewer.locator("[data-untrusted]")).to_contain_text("by dora, not looked through yet.")
    expect(viewer.locator("[data-untrusted] button")).to_have_count(0)
    page = visit(portfolio.company)
    page.get_by_role("button", name="I have looked through it").click()
    expect(page.locator("[data-untrusted]")).to_have_count(0)
    assert header.get().untrusted_since is None


def test_a_folder_shows_what_others_do_to_its_use_cases(visit: Open, portfolio: Portfolio) -> None:
    folder, company = visit(portfolio.folder, query="?tab=usecase"), visit(portfolio.company, "bob", "?tab=folder")
    rows = folder.locator('[data-panel="usecase"] .row-link')
    expect(rows).to_have_count(2)
    expect(company.locator('[data-panel="folder"] .row-link')).to_have_text(["Warehouse"])
    by_hand("dora", portfolio.use_cases[0], **{"data.name": "Dock planning"})
    expect(rows).to_have_text(["Claims triage", "Dock planning"])
    dora = signed_in(User.objects.get(username="dora"))
    assert create(dora, "usecase", portfolio.folder, **{"data.name": "Returns"}).status_code == 201
    expect(rows).to_have_text(["Claims triage", "Dock planning", "Returns"])
    expect(folder.locator('[data-field="count usecase"]')).to_have_text("3")
    assert change(dora, portfolio.use_cases[1], "move_object", parent=None).status_code == 201
    expect(rows).to_have_text(["Dock planning", "Returns"])
    by_hand("dora", portfolio.folder, name="Store")
    expect(company.locator('[data-panel="folder"] .row-link')).to_have_text(["Store"])


def scores(gain: int, data: int) -> dict[str, Any]:
    return {
        "data.valueScores": [{"axisId": "gain", "rating": gain}],
        "data.complexityScores": [{"axisId": "data", "rating": data}],
    }


def test_a_matrix_shows_what_others_rate_rename_and_add(visit: Open, portfolio: Portfolio) -> None:
    axes = {**AXES, "valueAxes": [{"id": "gain", "name": "Gain", "weight": 2}]}
    by_hand("alice", portfolio.folder, **{f"matrix_config.{name}": value for name, value in axes.items()})
    page, viewer = visit(portfolio.folder, query="matrix/"), visit(portfolio.folder, "bob", "matrix/")
    expect(page.get_by_role("heading", name="Nothing is rated yet")).to_be_visible()
    by_hand("dora", portfolio.use_cases[0], **scores(1, 5))
    for each in (page, viewer):
        mark = each.locator('a.mark[aria-label^="Slot planning:"]')
        expect(mark).to_have_attribute("aria-label", re.compile("value 2, complexity 5,"))
        expect(each.locator(".matrix-unrated li")).to_have_count(1)
    by_hand("dora", portfolio.use_cases[0], **scores(5, 1), **{"data.name": "Dock planning"})
    for each in (page, viewer):
        mark = each.locator('a.mark[aria-label^="Dock planning:"]')
        expect(mark).to_have_attribute("aria-label", re.compile("value 10, complexity 1,"))
        expect(each.locator("[data-rows] tr")).to_contain_text("Dock planning")
    # What somebody tries stays, and others' ratings come into it.
    page.get_by_label("Data", exact=True).fill("4")
    expect(page.locator("a.mark")).to_have_attribute("aria-label", re.compile("complexity 4,"))
    by_hand("dora", portfolio.use_cases[1], **scores(1, 2))
    expect(page.locator('a.mark[aria-label^="Claims triage:"]')).to_have_attribute(
        "aria-label", re.compile("complexity 8,")
    )
    expect(page.locator("[data-rows] tr")).to_have_count(2)
    expect(page.locator("[data-rows]")).to_contain_text("8")
    expect(page.get_by_label("Data", exact=True)).to_have_value("4")


def test_an_editor_makes_a_record_where_it_belongs(visit: Open, portfolio: Portfolio) -> None:
    page = visit(portfolio.company, query="?tab=folder")
    page.locator('[data-panel="folder"] summary').get_by_text("New", exact=True).click()
    page.locator('[data-panel="folder"]').get_by_label("Name").fill("Yard")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Yard")
    expect(page.locator(".record-head .back")).to_have_text("Northwind")
    page.get_by_role("link", name=re.compile("^Use cases")).last.click()
    page.locator('[data-panel="usecase"] summary').get_by_text("New", exact=True).click()
    page.locator('[data-panel="usecase"]').get_by_label("Name").fill("Gates")
    page.keyboard.press("Enter")
    expect(page.locator(".record-head .back")).to_have_text("Yard")
    assert UseCase.objects.get(name="Gates").folder == Folder.objects.get(name="Yard")


def test_the_history_is_a_tab_and_compares(visit: Open, portfolio: Portfolio) -> None:
    Company.objects.update(size="1,000 people")  # past this program
    by_hand("dora", portfolio.company, industry="Air")
    made = ChangeSet.objects.filter(actor_label="dora").get()
    page = visit(portfolio.company, query=f"?tab=history&change={made.pk}")
    entry = page.locator(f'[data-change-set="{made.pk}"]')
    expect(entry).to_be_visible()
    expect(entry.locator("button").first).to_be_focused()
    expect(page.locator(".history-entry").nth(1)).to_contain_text("changed outside")
    page.get_by_role("link", name="Fields").click()
    expect(value(page, "industry")).to_have_text("Air")
    page.get_by_role("link", name=re.compile("^Folders")).last.click()
    expect(page.get_by_role("link", name="Warehouse")).to_be_visible()
    page.go_back()
    expect(value(page, "industry")).to_be_visible()


#: Headings of columns, and words of what rows are called, that stand on more than one line.
BROKEN_WORDS = """() => [...document.querySelectorAll(".scores th")].flatMap((cell) => {
  const text = cell.firstChild, found = [];
  for (const word of text.data.matchAll(/\\S+/g)) {
    const range = document.createRange();
    range.setStart(text, word.index);
    range.setEnd(text, word.index + word[0].length);
    if (range.getClientRects().length > 1) found.push(word[0]);
  }
  return found;
})"""


def test_it_works_in_french_on_a_small_screen(visit: Open, portfolio: Portfolio) -> None:
    axes = [{"id": name, "name": f"{name} notice"} for name in ("Customers", "x" * 60)]
    Folder.objects.filter(pk=portfolio.folder.pk).update(matrix_config={"valueAxes": axes})
    rated = portfolio.use_cases[0]
    rated.data["valueScores"] = [{"axisId": "Customers", "rating": 4, "description": "Much " * 30}]
    rated.save()
    page = visit(portfolio.use_cases[0], viewport={"width": 390, "height": 844}, color_scheme="dark")
    page.get_by_role("button", name="Français").click()
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    assert page.evaluate(BROKEN_WORDS) == ["x" * 60]
    for path in ("data.problem", "data.benefits", "data.valueScores"):
        field(page, path).locator("[data-edit]").click()
    expect(field(page, "data.problem").get_by_role("button", name="Enregistrer")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    edited = field(page, "data.problem").locator("textarea")
    edited.fill("Court.")
    edited.press("Control+Enter")
    expect(value(page, "data.problem").locator(".markdown")).to_have_text("Court.")
    edit(page, "data.contact").fill("Ann")
    page.keyboard.press("Escape")
    expect(page.get_by_role("alertdialog")).to_contain_text("n’est pas enregistré")


def test_viewers_have_nothing_to_press(visit: Open, portfolio: Portfolio) -> None:
    page = visit(portfolio.company, "bob")
    expect(value(page, "name")).to_have_text("Northwind")
    expect(page.locator("[data-edit], [data-ask]")).to_have_count(0)
    by_hand("alice", portfolio.company, industry="Air")
    expect(value(page, "industry")).to_have_text("Air")
    page.keyboard.press("Control+z")
    assert ChangeSet.objects.filter(origin="rollback").count() == 0
