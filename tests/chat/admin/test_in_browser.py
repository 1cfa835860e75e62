"""The admin under the site's content security policy, in a real browser, on a large and on a small screen."""

import json
import uuid

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from chat.events.append import append
from chat.events.vocabulary import NewEvent
from chat.models import Message
from graphs.models import Graph, Node, Workspace
from rag.models import EmbeddingModel
from tests.cast import PASSWORD
from tests.chat.admin.talk import Talk, talk
from tests.chat.engine.generating import begun
from tests.chat.spending.paid import budget
from tests.graphs.admin.changing import update
from tests.graphs.records.portfolio import Portfolio, portfolio
from tests.proposed import RENAME, waiting

__all__ = ["portfolio"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def own(alice: User, demo_workspace: Workspace, nba: Graph) -> Talk:
    User.objects.create_superuser("root", password=PASSWORD)
    found = talk(alice, demo_workspace)
    long = f"{uuid.uuid4().hex * 20} " * 3
    Message.objects.filter(session=found.session, role="user").update(content=long)
    return found


def signed_in(browser: Browser, address: str, width: int) -> Page:
    page = browser.new_page(viewport={"width": width, "height": 800}, base_url=address, locale="en-US")
    page.goto("/admin/login/")
    page.get_by_label("Username").fill("root")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/admin/")
    return page


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_blocked_and_nothing_sticks_out(
    width: int, own: Talk, alice: User, nba: Graph, live_server: object, request: pytest.FixtureRequest
) -> None:
    node = Node.objects.filter(graph=nba).first()
    assert node is not None
    change_set = update(nba, alice, because={"reason": "Retry thrice"}, process="return retry(fetch(url), 3)\n" * 9)
    (proposal,) = waiting(alice, nba, RENAME)
    limit = budget(nba.workspace, 10**6)
    limit.uses.create(starts_on=timezone.localdate(), used=123_456, reserved=50_000)
    addresses = [
        reverse("admin:index"),
        reverse("admin:graphs_changeset_changelist"),
        reverse("admin:graphs_changeset_change", args=[change_set.pk]),
        reverse("admin:graphs_changeset_rollback", args=[change_set.pk]),
        reverse("admin:graphs_object_versions", args=[nba.pk], query={"a": 1, "b": 2}),
        reverse("admin:chat_proposal_changelist"),
        reverse("admin:chat_proposal_change", args=[proposal.pk]),
        reverse("admin:chat_policy_explained"),
        reverse("admin:chat_session_replay", args=[own.session.pk]),
        reverse("admin:chat_session_seen", args=[own.session.pk]),
        reverse("admin:chat_session_changelist"),
        reverse("admin:chat_session_change", args=[own.session.pk]),
        reverse("admin:chat_session_events", args=[own.session.pk]),
        reverse("admin:chat_modelcall_changelist"),
        reverse("admin:chat_spend"),
        reverse("admin:chat_budget_changelist"),
        reverse("admin:chat_budget_change", args=[limit.pk]),
        reverse("admin:graphs_graph_changelist"),
        reverse("admin:graphs_node_change", args=[node.pk]),
        reverse("admin:auth_user_change", args=[alice.pk]),
    ]
    page = signed_in(request.getfixturevalue("browser"), str(live_server), width)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    for address in addresses:
        page.goto(address)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address
    # The queue of embeddings is a table that scrolls; on a screen all of it is seen.
    name = "custom/nomic-embed-text-v1.5"
    EmbeddingModel.objects.create(name=name, dimensions=8, code="server_error", retry_at=timezone.now())
    page.goto(reverse("admin:rag_embeddingmodel_changelist"))
    sticks_out = page.locator("#result_list").evaluate("table => table.scrollWidth > table.parentElement.clientWidth")
    assert sticks_out == (width == 390)
    assert said == []


def test_a_tool_call_opens_and_leads_to_the_events(own: Talk, live_server: object, browser: Browser) -> None:
    address = reverse("admin:chat_session_change", args=[own.session.pk])
    page = signed_in(browser, str(live_server), 1280)
    page.goto(address)
    result = page.get_by_text('"found"')
    expect(result).to_be_hidden()
    page.locator("details.call > summary").click()
    expect(result).to_be_visible()
    page.get_by_role("link", name="3–8").click()
    page.wait_for_url("**/events/?run=*")
    expect(page.locator("tr[id^=event-]")).to_have_count(8)


def test_the_request_of_a_call_is_copied(own: Talk, live_server: object, browser: Browser) -> None:
    page = signed_in(browser, str(live_server), 1280)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(reverse("admin:chat_session_seen", args=[own.session.pk]))
    page.get_by_role("button", name="Copy as JSON").click()
    page.get_by_role("button", name="Copied").wait_for()
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert copied["messages"] == [{"role": "user", "content": "Where is the API?"}]


def test_a_replay_counts_events_and_names_them_by_their_numbers(
    own: Talk, alice: User, portfolio: Portfolio, live_server: object, browser: Browser
) -> None:
    _other, run = (begun(alice, "company_info", "company", portfolio.company.pk) for _ in range(2))
    with transaction.atomic():
        append(run.session.stream_id, [NewEvent("content_delta", {"delta": "It moves."}, run.message_id, run.pk)])
    page = signed_in(browser, str(live_server), 1280)
    page.goto(reverse("admin:chat_session_replay", args=[run.session.pk], query={"at": 3}))
    event = page.locator("chat-replay .event")
    expect(event).to_contain_text("Event 2 of 2")
    expect(page.locator("chat-replay .stage")).to_contain_text("It moves.")
    event.click()
    page.wait_for_url("**/events/?at=3")
    expect(page.locator("tr[id^=event-]")).to_have_count(1)
