"""The page of a record in real browsers: deleted, moved, copied, made, and its history."""

import re

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import APIResponse, Page, Route, expect

from graphs.models import ChangeSet, Company, Folder, Object, UseCase
from tests.browser import eventually
from tests.cast import signed_in
from tests.graphs.api.callers import post_json
from tests.graphs.records.asking import change, create
from tests.graphs.records.in_browser import Open, by_hand, edit, field, started, value, visit
from tests.graphs.records.portfolio import Portfolio

__all__ = ["started", "visit"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_deleting_says_what_goes_and_everybody_sees_it(visit: Open, portfolio: Portfolio) -> None:
    page, viewer = visit(portfolio.company), visit(portfolio.company, "bob")
    expect(page.locator("[data-people]")).to_contain_text("bob")
    page.get_by_role("button", name="Delete…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("folders (1), use cases (2)")
    answers: list[tuple[Route, APIResponse]] = []
    page.route("**/changes", lambda route: answers.append((route, route.fetch())))
    dialog.get_by_role("button", name="Delete", exact=True).click()
    # The news of it comes before the answer, below the dialog.
    expect(page.locator("[data-gone]")).to_contain_text("This was deleted by alice.")
    eventually(page, lambda: len(answers), 1)
    ((route, response),) = answers
    route.fulfill(response=response)
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


def watch_buttons(page: Page) -> None:
    """Notes how many of the buttons that undo can be pressed as the page goes."""
    page.evaluate("""addEventListener("beforeunload", () => {
        const buttons = [...document.querySelectorAll(".undo-buttons button")];
        const free = buttons.filter(({ disabled }) => !disabled);
        sessionStorage.setItem("buttons", `${free.length} of ${buttons.length}`);
    })""")


def test_a_use_case_is_moved_to_another_folder(visit: Open, portfolio: Portfolio) -> None:
    other = Folder.objects.create(workspace=portfolio.workspace, name="Yard")
    page = visit(portfolio.use_cases[0])
    page.get_by_role("button", name="Move…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("searchbox").fill("yar")
    expect(dialog.get_by_role("radio")).to_have_count(1)
    dialog.get_by_role("radio", name="Yard").check()
    back = page.locator(".record-head .back")
    watch_buttons(page)
    with page.expect_event("load"):  # What holds it stands in many places: the page comes anew, each time.
        dialog.get_by_role("button", name="Move", exact=True).click()
    assert page.evaluate("sessionStorage.getItem('buttons')") == "0 of 2"
    expect(back).to_have_text("Yard")
    portfolio.use_cases[0].refresh_from_db()
    assert portfolio.use_cases[0].folder == other
    watch_buttons(page)
    with page.expect_event("load"):
        page.keyboard.press("Control+z")
    assert page.evaluate("sessionStorage.getItem('buttons')") == "0 of 2"
    expect(back).to_have_text("Warehouse")
    with page.expect_event("load"):
        page.get_by_role("button", name="Redo", exact=True).click()
    expect(back).to_have_text("Yard")
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(back).to_have_text("Warehouse")


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
    notice = page.locator(".notice")
    expect(notice).to_contain_text("1 record is “archived” now.")
    by_hand("dora", portfolio.use_cases[0], status="ready")
    notice.get_by_role("button", name="Undo").click()
    expect(notice.get_by_role("alert")).not_to_be_empty()
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
    page.wait_for_load_state()  # with its styles and scripts
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
    by_hand("alice", portfolio.company, size="100 people")
    expect(value(page, "size")).to_have_text("100 people")
    expect(value(page, "industry")).to_have_text("Air")
    assert ChangeSet.objects.filter(origin="rollback").count() == 0
