"""The page of a prompt in a real browser: by keyboard, on a small screen, and what the security policy says of it."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from chat.actions import managing_prompts
from graphs.site.access import member_of
from tests.browser import Windows, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
TEXTS = {"en": "Name {{folder}}.", "fr": "Nomme {{folder}}."}


def test_versions_are_compared_and_restored_by_keyboard_on_a_small_screen(
    windows: Windows, alice: User, live_server: object
) -> None:
    managing_prompts.write_version(member_of(alice), "folder_name", TEXTS, None, "", "Shorter")
    page = windows.open(viewport={"width": 390, "height": 844}, base_url=str(live_server), color_scheme="dark")
    sign_in(page.context, alice, str(live_server))
    wrong: list[str] = []
    page.on("console", lambda said: wrong.append(said.text) if "Content Security Policy" in said.text else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto("/prompts/")
    page.get_by_role("link", name="Name and description of a folder").press("Enter")
    page.get_by_role("button", name="Compare").press("Enter")
    expect(page.get_by_role("heading", name="From version 1 to version 2")).to_be_visible()
    expect(page.locator("prompt-diff").get_by_text("Nomme {{folder}}.")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Activate folder_name@2").press("Enter")
    expect(page.get_by_text("folder_name@2 is active now.")).to_be_visible()
    page.get_by_role("button", name="Restore folder_name@1").press("Enter")
    expect(page.get_by_text("folder_name@1 is active now.")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    managing_prompts.write_version(member_of(alice), "company_info", {"en": "{{company}}"}, None, "", "Shorter")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto("/prompts/company_info/")
    name = page.get_by_role("rowheader").locator("strong").first
    assert name.evaluate("(name) => name.getClientRects().length") == 1, "the name of a version is on one line"
    assert wrong == []
