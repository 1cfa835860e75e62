"""The page that imports objects of any kind, as a form and with its script in a browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.template.loader import render_to_string
from django.test import Client
from playwright.sync_api import Page, expect

from graphs.models import ChangeSet, Folder, NodeType, UseCase, Workspace
from graphs.site.access import member_of
from tests.browser import Windows, sign_in
from tests.cast import PASSWORD, signed_in
from tests.registered import product
from tests.shop.models import Product, Shop

ADDRESS = "/objects/product/import/"


def send(client: Client, data: str, **fields: str) -> HttpResponse:
    return client.post(ADDRESS, {"file": SimpleUploadedFile("rows.csv", data.encode()), **fields})


def test_a_preview_and_then_the_import(alice: User, shop: Shop) -> None:
    client, ball = signed_in(alice), product(shop, "Ball", notes="round")
    file = f"id,parent,name,notes\n{ball.pk},{shop.pk},Ball,flat\n,{shop.pk},Net,wide\n"
    shown = send(client, file)
    assert shown.status_code == 200
    page = shown.content.decode()
    assert "Import 2 rows" in page
    assert "<del>round</del> <ins>flat</ins>" in page
    assert Product.objects.count() == 1
    context = shown.context  # type: ignore[attr-defined]
    fields = {"step": "import", "expected": context["expected"], "once": context["once"]}
    assert send(client, file, **fields).status_code == 201
    assert send(client, file, **fields).status_code == 201  # pressed twice
    assert sorted(Product.objects.values_list("name", "notes")) == [("Ball", "flat"), ("Net", "wide")]
    assert "All of it is like this already" in send(client, f"id,name\n{ball.pk},Ball\n").content.decode()


def test_a_preview_shows_values_as_pages_do(alice: User, demo_workspace: Workspace) -> None:
    client = signed_in(alice)
    file = SimpleUploadedFile("rows.csv", b'data.name,status,data.benefits\nPicking,ready,"Faster\nCheaper"\n')
    shown = client.post("/objects/usecase/import/", {"file": file}).content.decode()
    assert "<ins>Ready</ins>" in shown
    assert "<ins>Faster\nCheaper</ins>" in shown


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_what_was_imported_is_taken_back_beside_the_notice(
    windows: Windows, alice: User, live_server: object, tmp_path: Path, demo_workspace: Workspace
) -> None:
    page = windows.open(base_url=str(live_server))
    sign_in(page.context, alice, str(live_server))
    file = tmp_path / "rows.csv"
    file.write_text("data.name\nPicking\n")
    page.goto("/objects/usecase/import/")
    page.set_input_files("input[type=file]", file)
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Import 1 row").click()
    notice = page.locator("[data-result]")
    expect(notice.get_by_role("link", name="To the list")).to_be_visible()
    for kind, text in (("usecase", "Shown here."), ("company", "Shown elsewhere.")):
        toast = {
            "level": "success",
            "what": "imported",
            "kind": kind,
            "person": "alice",
            "text": text,
            "sequence": text,
        }
        page.evaluate("toast => document.dispatchEvent(new CustomEvent('countersign:toast', {detail: toast}))", toast)
    expect(page.locator(".toasts .toast p")).to_have_text(["Shown elsewhere."])
    notice.get_by_role("button", name="Undo").click()
    expect(page.locator("ul.messages")).to_have_text("Undone.")
    assert not UseCase.objects.exists()


def test_errors_and_conflicts_are_told(alice: User, shop: Shop) -> None:
    client, ball = signed_in(alice), product(shop, "Ball", notes="round")
    wrong = send(client, f"parent,name,price\n{shop.pk},<b>Net</b>,-1\n")
    assert wrong.status_code == 200  # a preview tells what is wrong
    assert "A price is not negative." in wrong.content.decode()
    file = f"id,notes\n{ball.pk},flat\n"
    expected = send(client, file).context["expected"]  # type: ignore[attr-defined]
    Product.objects.filter(pk=ball.pk).update(notes="oval")
    met = send(client, file, step="import", expected=expected)
    assert met.status_code == 409
    assert "oval → flat" in met.content.decode()
    assert send(client, f"id,notes\n{ball.pk},square\n", step="import", expected=expected).status_code == 409
    assert send(client, "").status_code == 400


def test_texts_of_files_are_no_html(alice: User, shop: Shop) -> None:
    script = "<script>alert(1)</script>"
    page = send(signed_in(alice), f"parent,name,notes\n{shop.pk},{script},{script}\n").content.decode()
    assert script not in page
    assert "&lt;script&gt;alert(1)" in page


def test_viewers_are_refused_and_unknown_kinds_absent(alice: User, bob: User, shop: Shop) -> None:
    assert signed_in(bob).get(ADDRESS).status_code == 403
    assert send(signed_in(bob), "name\nx\n").status_code == 403
    assert signed_in(alice).get("/objects/planet/import/").status_code == 404


def test_a_list_offers_what_its_person_may(alice: User, bob: User, shop: Shop) -> None:
    def menu(user: User) -> str:
        member = member_of(user)
        return render_to_string("objects/file_menu.html", {"member": member, "kind": "product", "filters": "search=x"})

    assert ADDRESS in menu(alice)
    assert ADDRESS not in menu(bob)
    assert "format=xlsx&amp;workspace=demo&amp;search=x" in menu(bob)


@pytest.fixture
def page(windows: Windows, alice: User, demo_workspace: Workspace, live_server: object) -> Iterator[Page]:
    """Alice, signed in, on a small screen that is dark, in French."""
    page = windows.open(
        viewport={"width": 390, "height": 844}, base_url=str(live_server), locale="fr-FR", color_scheme="dark"
    )
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto("/accounts/login/")
    page.locator("input[name=username]").fill("alice")
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("input[name=password]").press("Enter")
    page.wait_for_url("**/")
    yield page
    assert wrong == []


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_by_keyboard_on_a_small_dark_french_screen(page: Page, tmp_path: Path) -> None:
    page.goto("/objects/nodeType/import/")
    file = tmp_path / "types.csv"
    file.write_text("displayName;category\n" + "".join(f"Type {number};" + "long " * 8 + "\n" for number in range(3)))
    page.set_input_files("input[type=file]", file)
    page.get_by_role("button", name="Aperçu", exact=True).press("Enter")
    expect(page.locator("[data-result]")).to_be_focused()
    expect(page.get_by_role("heading", level=2)).to_have_text("Ce que ferait le fichier")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    button = page.get_by_role("button", name="Importer 3 lignes")
    for _press in range(5):
        page.keyboard.press("Tab")
        if button.evaluate("element => element === document.activeElement"):
            break
    page.keyboard.press("Enter")
    expect(page.locator(".notice.success h2")).to_have_text("3 nouveaux, 0 modifié")
    assert NodeType.objects.filter(category__startswith="long").count() == 3
    assert ChangeSet.objects.filter(origin="import", size=3).count() == 1


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_errors_by_row_fit_on_the_screen_and_the_next_file_can_be_chosen(page: Page, tmp_path: Path) -> None:
    page.goto("/objects/nodeType/import/")
    file = tmp_path / "types.csv"
    file.write_text(f"displayName,category\n,flow\n{'x' * 300},flow\n")
    page.set_input_files("input[type=file]", file)
    page.get_by_role("button", name="Aperçu", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("2 erreurs, rien n’a été importé")
    expect(page.get_by_role("alert").locator("tbody tr")).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    file.write_text("displayName,category\n")
    page.set_input_files("input[type=file]", file)
    page.get_by_role("button", name="Aperçu", exact=True).click()
    expect(page.locator("[data-result]")).to_contain_text("Le fichier n’a aucune ligne")


def test_new_rows_come_into_what_the_address_names(alice: User, shop: Shop) -> None:
    client, ball = signed_in(alice), product(shop, "Ball")
    other = Shop.objects.create(workspace=shop.workspace, name="Corner <b>shop</b>")
    address = f"{ADDRESS}?parent=shop:{other.pk}"
    page = client.get(address).content.decode()
    assert "Corner &lt;b&gt;shop" in page
    assert f"parent=shop%3A{other.pk}" in page
    file = f"id,parent,name\n,,Net\n,Sports,Bat\n{ball.pk},{shop.pk},Ball\n"

    def sent(**fields: str) -> HttpResponse:
        return client.post(address, {"file": SimpleUploadedFile("rows.csv", file.encode()), **fields})

    context = sent().context  # type: ignore[attr-defined]
    fields = {"step": "import", "expected": context["expected"], "once": context["once"]}
    assert send(client, file, **fields).status_code == 400  # without the holder the first row has none
    assert sent(**fields).status_code == 201
    assert set(Product.objects.values_list("name", "shop")) == {
        ("Net", other.pk), ("Bat", shop.pk), ("Ball", shop.pk)
    }  # fmt: skip


def test_a_file_without_a_column_of_parents_moves_nothing_that_is_there(alice: User, shop: Shop) -> None:
    client, ball = signed_in(alice), product(shop, "Ball")
    other = Shop.objects.create(workspace=shop.workspace, name="Corner shop")
    upload = SimpleUploadedFile("rows.csv", f"id,name\n{ball.pk},Round\n,Net\n".encode())
    assert client.post(f"{ADDRESS}?parent=shop:{other.pk}", {"file": upload, "step": "import"}).status_code == 201
    assert set(Product.objects.values_list("name", "shop")) == {("Round", shop.pk), ("Net", other.pk)}


def test_what_can_hold_nothing_here_is_not_found(alice: User, shop: Shop, other_workspace: Workspace) -> None:
    theirs = Shop.objects.create(workspace=other_workspace, name="Theirs")
    client = signed_in(alice)
    for named in (f"shop:{theirs.pk}", "shop:999999", "shop:x", "shop:", "shop", f"company:{shop.pk}", "shop:%00"):
        assert client.get(f"{ADDRESS}?parent={named}").status_code == 404
    assert client.get(f"/objects/shop/import/?parent=shop:{shop.pk}").status_code == 404


def test_the_page_names_columns_as_the_file_does(alice: User, shop: Shop) -> None:
    page = send(signed_in(alice), "Shop,Price,Name\nNowhere,-1,Net\n").content.decode()
    assert '<th scope="row">Shop</th>' in page
    assert '<th scope="row">Price</th>' in page


def test_a_page_leads_editors_to_an_import_into_it(alice: User, bob: User, demo_workspace: Workspace) -> None:
    folder = Folder.objects.create(workspace=demo_workspace, name="Warehouse")
    address = f"/objects/usecase/import/?workspace={demo_workspace.slug}&amp;parent=folder%3A{folder.pk}"
    assert address in signed_in(alice).get(f"/folders/{folder.pk}/").content.decode()
    assert address not in signed_in(bob).get(f"/folders/{folder.pk}/").content.decode()
