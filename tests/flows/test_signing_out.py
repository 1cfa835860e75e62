"""Who leaves a shared browser leaves nothing of what they were about to say."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser import eventually
from tests.flows.visitor import Visitor
from tests.site import Site

pytestmark = [pytest.mark.browser, pytest.mark.processes, pytest.mark.django_db(transaction=True)]


def test_a_draft_is_gone_after_signing_out(one_process: Site, visit: Callable[..., Visitor]) -> None:
    alice = visit(one_process.web.url)
    alice.sign_in("alice").open_graph()
    alice.composer.fill("something private")
    alice.page.reload()
    alice.connected()
    expect(alice.composer).to_have_value("something private")
    alice.page.get_by_label("Menu of alice").click()
    alice.page.get_by_role("button", name="Sign out").click()
    alice.page.wait_for_url("**/accounts/login/**")
    # The page that was left may still note where its drawing stood.
    eventually(alice.page, lambda: "private" in alice.page.evaluate("() => JSON.stringify(sessionStorage)"), False)
    alice.sign_in("alice").open_graph()
    expect(alice.composer).to_have_value("")
