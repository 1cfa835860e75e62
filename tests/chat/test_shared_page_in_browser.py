"""The page behind a link in a real browser: what is said appears by itself, and is gone with the link."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from chat.models import Message, SharedLink
from graphs.models import Graph
from tests.browser import Windows
from tests.chat.admin.talk import talk, turn
from tests.chat.test_shared_page import link

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_it_follows_the_conversation_until_it_is_revoked(
    windows: Windows, alice: User, nba: Graph, live_server: object
) -> None:
    own = talk(alice, nba.workspace, reasoning="I look it up.")
    page = windows.open(viewport={"width": 390, "height": 844}, base_url=str(live_server))
    wrong: list[str] = []
    page.on("console", lambda said: wrong.append(said.text) if "Content Security Policy" in said.text else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(link(own, reasoning=True))
    page.clock.install()
    page.reload()
    messages = page.locator(".shared-message")
    expect(messages).to_have_count(2)
    page.get_by_text("Reasoning").click()
    answer = turn(own.session, "And then?").message
    Message.objects.filter(pk=answer.pk).update(status="streaming")
    page.clock.run_for(5_000)
    expect(messages).to_have_count(4)
    expect(messages.nth(3)).to_contain_text("is being written")
    Message.objects.filter(pk=answer.pk).update(status="complete", content="The end.")
    page.clock.run_for(5_000)
    expect(messages.nth(3)).to_contain_text("The end.")
    expect(page.get_by_text("I look it up.")).to_be_visible()
    SharedLink.objects.all().delete()
    page.clock.run_for(5_000)
    expect(page.get_by_role("alert")).to_have_text("This conversation is not shared by this link any more.")
    expect(messages).to_have_count(0)
    assert "Where is the API?" not in page.content()
    assert wrong == []
