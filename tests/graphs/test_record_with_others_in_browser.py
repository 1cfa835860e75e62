"""The page of a record in real browsers, with others there who change it as well."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from graphs.models import ChangeSet, Company
from tests.cast import signed_in
from tests.graphs.records.asking import change, create
from tests.graphs.records.conftest import AXES
from tests.graphs.records.in_browser import Open, by_hand, edit, field, started, value, visit
from tests.graphs.records.portfolio import Portfolio

__all__ = ["started", "visit"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


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
    expect(page.locator(".undo-said")).to_have_text("Undone.")
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
