"""The drawing of a graph that others edit too, in a real browser, at a socket that the test speaks for."""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Route, WebSocketRoute, expect

from tests.browser import PATIENCE_S, TIMEOUT, Windows, at_rest, center, eventually, painted
from tests.graphs import drawn

pytestmark = pytest.mark.browser

OPENED = {"type": "graph:opened", "you": "me", "version": 1, "mayEdit": True, "unsaved": False}
CHANGES = "**/graph.json/changes"


class Server:
    """The other end of the graph's socket. `crowded`: whoever comes is told that they have too many."""

    def __init__(self) -> None:
        self.crowded = False
        self.heard: list[dict[str, Any]] = []
        self._socket: WebSocketRoute | None = None

    def meet(self, socket: WebSocketRoute) -> None:
        if self.crowded:
            self._send(socket, {"type": "graph:error", "_id": None, "error": "Close some.", "code": "too_many_sockets"})
            socket.close(code=4429)
            return
        self._socket = socket
        socket.on_message(lambda text: self.heard.append(json.loads(text)))
        self._send(socket, OPENED)

    def leave(self) -> None:
        """Ends the connection and takes no other one."""
        assert self._socket
        self.crowded = True
        self._socket.close(code=1001)

    def come_back(self, page: Page) -> None:
        self.crowded = False
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

    def tell(self, *people: dict[str, Any]) -> None:
        assert self._socket
        self._send(
            self._socket,
            {"type": "graph:presence", "people": [{"id": "me", "name": "alice", "selection": []}, *people]},
        )

    @staticmethod
    def _send(socket: WebSocketRoute, frame: dict[str, Any]) -> None:
        socket.send(json.dumps(frame))


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def page(windows: Windows, server: Server) -> Iterator[Page]:
    with drawn.served() as site:
        site.graph = drawn.players()
        site.attributes = 'live="/ws/graphs/players/" editable person="alice"'
        page = windows.open(reduced_motion="reduce")
        page.context.set_default_timeout(TIMEOUT)
        complaints: list[str] = []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.route_web_socket("**/ws/graphs/**", server.meet)
        page.goto(site.url)
        expect(page.locator(".zoom")).to_be_visible()
        painted(page)
        yield page
        if not page.is_closed():
            page.goto("about:blank")
    assert complaints == []


def dora(**looks: object) -> dict[str, Any]:
    return {"id": "d", "name": "dora", "selection": [], **looks}


def middle(page: Page, key: str) -> tuple[float, float]:
    return center(page.locator(f'.nodes [data-key="{key}"] .card'))


def until(page: Page, server: Server, condition: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """What the others were told last, as soon as the condition holds for it."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if server.heard and condition(server.heard[-1]):
            return server.heard[-1]
        page.wait_for_timeout(10)
    pytest.fail(f"told last: {server.heard[-1:]}")


def answer_changes(page: Page, *statuses: int) -> None:
    """What REST answers to changes, one after the other."""
    left = iter(statuses)

    def change(route: Route) -> None:
        route.fulfill(status=next(left), json={"id": "c", "objects": [{"version": 2}], "modifications": []})

    page.route(CHANGES, change)


def test_names_stand_where_others_point_and_at_what_they_selected(page: Page, server: Server) -> None:
    state = page.locator(".live-state")
    expect(state).to_have_text("Saved")
    server.tell(
        dora(selection=["fetch-api"], cursor={"sheet": "main", "x": 300, "y": 0}),
        {"id": "b", "name": "bob", "selection": ["fetch-api"], "cursor": {"sheet": "stats", "x": 0, "y": 0}},
    )
    expect(page.locator(".live-cursor")).to_have_text("dora")
    expect(page.locator(".live-name")).to_have_text("dora, bob")
    corner = at_rest(page.locator('.nodes [data-key="fetch-api"] .card'))
    dot = at_rest(page.locator(".live-dot"))
    name = at_rest(page.locator(".live-name"))
    # The badges of proposals are at the left.
    assert name["x"] + name["width"] == pytest.approx(corner["x"] + corner["width"], abs=4)
    # The drawing may stretch its sheet: who points at the corner of a node points at it on every page.
    assert dot["x"] + dot["width"] / 2 == pytest.approx(corner["x"], abs=3)
    assert dot["y"] + dot["height"] / 2 == pytest.approx(corner["y"], abs=3)

    # Where the mouse is says nothing to those who hear the page.
    people = page.locator(".live-person")
    expect(people).to_have_count(2)
    people.first.evaluate("element => (element.dataset.seen = 'yes')")
    pointed_at = page.locator(".live-dot").get_attribute("cx")
    assert pointed_at
    server.tell(
        dora(selection=["fetch-api"], cursor={"sheet": "main", "x": 10, "y": 0}),
        {"id": "b", "name": "bob", "selection": ["fetch-api"]},
    )
    expect(page.locator(".live-dot")).not_to_have_attribute("cx", pointed_at)
    assert people.first.get_attribute("data-seen") == "yes"
    expect(page.locator("svg.drawing")).to_have_attribute("aria-hidden", "true")
    server.tell()
    expect(page.locator(".live-dot, .live-name, .live-cursor")).to_have_count(0)


def test_the_mouse_is_told_only_to_others_and_goes_with_it(page: Page, server: Server) -> None:
    expect(page.locator(".live-state")).to_have_text("Saved")
    page.mouse.move(*middle(page, "start"))
    server.tell(dora())
    expect(page.locator(".live-person")).to_have_count(1)
    assert all("cursor" not in each for each in server.heard)
    page.mouse.move(*middle(page, "fetch-api"))
    cursor = until(page, server, lambda told: "cursor" in told)["cursor"]
    assert cursor["sheet"] == "main"
    assert cursor["x"] > 300
    page.locator(".canvas").dispatch_event("pointerleave")
    until(page, server, lambda told: "cursor" not in told)


def test_nodes_that_are_selected_together_are_told_notes_too(page: Page, server: Server) -> None:
    expect(page.locator(".live-state")).to_have_text("Saved")
    box = page.locator(".canvas").bounding_box()
    assert box
    page.keyboard.down("Shift")
    page.mouse.move(box["x"] + 5, box["y"] + 120)
    page.mouse.down()
    page.mouse.move(box["x"] + 300, box["y"] + 300)
    page.mouse.move(box["x"] + box["width"] - 5, box["y"] + box["height"] - 5)
    page.mouse.up()
    page.keyboard.up("Shift")
    until(page, server, lambda told: {"fetch-api", "error-log", "reminder"} <= set(told["selection"]))
    page.keyboard.press("Escape")
    until(page, server, lambda told: told["selection"] == [])


def test_an_edit_without_an_answer_is_sent_over_rest_under_the_same_key(page: Page, server: Server) -> None:
    answer_changes(page, 503, 201)
    expect(page.locator(".live-state")).to_have_text("Saved")
    page.mouse.click(*middle(page, "fetch-api"))
    page.get_by_label("Name").fill("Fetch all")
    sent = until(page, server, lambda told: told["type"] == "graph:edit")
    with page.expect_response(CHANGES) as first:
        server.leave()
    # Who cannot know whether that arrived asks at the same door again, though the other one is open by now.
    with page.expect_response(CHANGES) as second:
        server.come_back(page)
        expect(page.locator(".live-state")).to_have_text("Saved")
    for response in (first.value, second.value):
        assert response.request.headers["idempotency-key"] == sent["_id"]
        assert response.request.post_data_json == {"actions": sent["actions"], "expected": sent["expected"]}


def test_an_edit_that_was_sent_live_is_kept_while_the_server_is_away(page: Page, server: Server) -> None:
    answer_changes(page, *[503] * 5, 201)
    expect(page.locator(".live-state")).to_have_text("Saved")
    page.mouse.click(*middle(page, "fetch-api"))
    page.get_by_label("Name").fill("Fetch all")
    until(page, server, lambda told: told["type"] == "graph:edit")
    answered: list[int] = []
    page.on("response", lambda response: answered.append(response.status) if "/changes" in response.url else None)
    page.clock.install()
    server.leave()

    def half_a_minute_later() -> list[int]:
        page.clock.fast_forward(30_000)
        return answered

    eventually(page, half_a_minute_later, [*[503] * 5, 201])
    page.context.close()  # Its clock stays.


def test_who_has_too_many_tabs_is_told_so(page: Page, server: Server) -> None:
    expect(page.locator(".live-state")).to_have_text("Saved")
    server.crowded = True
    page.reload()
    expect(page.locator(".live-state")).to_have_text("Not live: you have too many tabs open. Close some.")
    # Another tab was closed; the reader comes back to this one.
    server.come_back(page)
    expect(page.locator(".live-state")).to_have_text("Saved")
