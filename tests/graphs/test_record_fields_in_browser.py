"""The fields of a record in real browsers: edited in place, by keyboard, and refused."""

import json

import pytest
from playwright.sync_api import expect

from graphs.models import Folder
from tests.doors.naughty import NAUGHTY
from tests.graphs.records.conftest import AXES
from tests.graphs.records.in_browser import Open, by_hand, edit, field, started, value, visit
from tests.graphs.records.portfolio import Portfolio

__all__ = ["started", "visit"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


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
