"""Attacks of a model, of its tools, of a workflow and of who asks, seen by readers with a real browser.

The same conversation is watched live, in a second tab, and by a reader whose browser ignores the content security
policy; then each of them loads it again, and a person of the staff reads it in the admin.
"""

import os
from collections.abc import Callable, Iterator

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Browser, expect

from chat.models import Session
from graphs.models import Edge, Graph, Node, NodeType, Sheet, Workspace
from tests import hostile
from tests.flows.visitor import Visitor
from tests.hostile import ForeignServer, Watch
from tests.site import Site, site
from tests.vendors import Script, ScriptedCall, VendorServer

pytestmark = [
    pytest.mark.browser,
    pytest.mark.processes,
    pytest.mark.faults,
    pytest.mark.django_db(transaction=True),
]

FULL = bool(os.environ.get("FULL"))
#: Answers of one conversation that a reload shows without being asked for earlier ones.
ON_A_PAGE = 20
ATTACK = '"><img src=x onerror=window.ran=1><script>window.ran=1</script>'
CALLS = (
    ScriptedCall("read_node_detail", {"nodeKey": "first"}),
    ScriptedCall("search_nodes", {"query": ATTACK}),
    ScriptedCall(ATTACK, {ATTACK: ATTACK}),
    ScriptedCall("constructor", {"toString": 1}),
    ScriptedCall("__proto__", '{"__proto__": {"x": 1}}'),
    ScriptedCall("search_nodes", ATTACK),
)
SELECT = "document.dispatchEvent(new CustomEvent('countersign:select-node', { detail: { key: 'first' } }))"
SHOWN = (
    "() => [...document.querySelector('chat-widget').shadowRoot.querySelectorAll('.markdown')].map((e) => e.innerHTML)"
)


@pytest.fixture
def foreign() -> Iterator[ForeignServer]:
    """A host that nobody may ask for anything."""
    with hostile.foreign_server() as server:
        yield server
        assert server.seen == []


@pytest.fixture
def evil(demo_workspace: Workspace, foreign: ForeignServer) -> Graph:
    """A workflow in which every text is an attack."""
    texts = [text for kind in hostile.payloads(foreign.host).values() for text in kind if "\x00" not in text]
    graph = Graph.objects.create(workspace=demo_workspace, key="evil", name=ATTACK, description=ATTACK)
    sheets = [Sheet.objects.create(graph=graph, key=key, name=ATTACK) for key in ("one", f"two{ATTACK}")]
    NodeType.objects.create(
        workspace=demo_workspace,
        key="attack",
        display_name=ATTACK,
        description=ATTACK,
        category=ATTACK,
        icon=f"{ATTACK}mail",
    )
    nodes = [
        Node.objects.create(
            graph=graph,
            sheet=sheets[0],
            key="first" if number == 0 else f"node{number}{ATTACK}",
            name=text[:200],
            type="attack" if number % 2 else f"<b>{ATTACK}",
            process=text,
            data={"html": text, "__proto__": text, "constructor": {"toString": text}, ATTACK: [text]},
            pos_x=200 * number,
        )
        for number, text in enumerate(texts[:: max(1, len(texts) // 24)])
    ]
    Edge.objects.create(
        graph=graph, sheet=sheets[0], key="edge", source=nodes[0], source_handle=f"R-0{ATTACK}", target=nodes[1],
        target_handle="L-0", label=ATTACK,
    )  # fmt: skip
    return graph


@pytest.fixture
def running(transactional_db: None, alice: User, evil: Graph) -> Iterator[Site]:
    User.objects.filter(pk=alice.pk).update(is_staff=True, is_superuser=True, first_name=ATTACK)
    with site() as started:
        yield started


@pytest.fixture
def signed_in(browser: Browser, running: Site) -> Iterator[Callable[[bool], Visitor]]:
    """Alice in a browser of her own, which may be told to ignore the policy. Nothing but its pages may happen in it."""
    opened: list[tuple[Visitor, Watch]] = []

    def sign_in(protected: bool) -> Visitor:
        context = browser.new_context(viewport={"width": 1280, "height": 800}, bypass_csp=not protected)
        context.set_default_timeout(30_000)
        opened.append((Visitor(context.new_page(), running.web.url), Watch(context, running.web.url)))
        return opened[-1][0].sign_in("alice")

    yield sign_in
    for visitor, watch in opened:
        assert watch.noted == []
        visitor.page.context.close()


class Readers:
    """Alice in a browser that keeps the policy, in a second tab of it, and in a browser that does not."""

    def __init__(self, signed_in: Callable[[bool], Visitor], vendor: VendorServer, host: str) -> None:
        self.vendor = vendor
        self.host = host
        self.alice = signed_in(True)
        self.unprotected = signed_in(False)
        self.tab = self.alice.new_tab()
        self.all = (self.alice, self.tab, self.unprotected)

    def begin(self) -> None:
        """A new conversation, begun with an attack, before all of them."""
        self.alice.page.bring_to_front()
        self.alice.open_graph("evil")
        self.alice.button("New conversation (Alt+N)").click()
        expect(self.alice.answers).to_have_count(0)
        self.vendor.script(Script(text="Hello."))
        expect(self.alice.ask(ATTACK)).to_contain_text("Hello.")
        for reader in (self.tab, self.unprotected):
            if reader.page.url.startswith(reader.url):
                reader.page.evaluate("sessionStorage.clear()")
            reader.open_graph("evil")
            expect(reader.answers).to_have_count(1)

    def ask(self, question: str, *scripts: Script) -> None:
        """Has every reader see the answer to its end."""
        self.vendor.script(*scripts)
        count = self.alice.answers.count() + 1
        self.alice.ask(question)
        for reader in self.all:
            expect(reader.answers).to_have_count(count)
            expect(reader.answers.nth(count - 1).locator("footer, .error").first).to_be_visible(timeout=60_000)

    def open_everything(self) -> None:
        """Reasoning, tool calls, the list of conversations, and the details of a node."""
        for reader in self.all:
            reader.page.bring_to_front()
            for each in reader.chat.locator("summary, .tool-badge").all():
                if each.is_visible():
                    each.click()
            expect(reader.chat.locator(".tool-details").first).to_contain_text("window.ran=1")
            reader.chat.locator(".title").click()
            expect(reader.chat.locator(".menu")).to_contain_text("window.ran=1")
            reader.page.evaluate(SELECT)
            expect(reader.page.locator("graph-view")).to_contain_text(ATTACK)
            hostile.check_page(reader.page, self.host, "*", "graph-view")
            hostile.check_page(reader.page, self.host)

    def check(self) -> list[str]:
        """What each of them sees is harmless, and the same; the answers' HTML."""
        for reader in self.all:
            hostile.check_answers(reader.page, self.host)
            hostile.check_page(reader.page, self.host, ".panel", "chat-widget")
        shown: list[list[str]] = [reader.page.evaluate(SHOWN) for reader in self.all]
        assert shown[1] == shown[0]
        assert shown[2] == shown[0]
        return shown[0]

    def check_reloaded(self) -> None:
        live = self.check()
        for reader in self.all:
            reader.page.bring_to_front()
            reader.page.reload()
            expect(reader.answers.last.locator("footer, .error").first).to_be_visible(timeout=60_000)
        assert self.check() == live

    def check_pages(self, *addresses: str) -> None:
        """The conversation and its events in the admin, and further pages, without the policy's help."""
        page, session = self.unprotected.page, Session.objects.latest("created_at")
        own = [reverse(f"admin:chat_session_{name}", args=[session.pk]) for name in ("events", "change")]
        for address in (*addresses, *own):
            answer = page.goto(f"{self.unprotected.url}{address}")
            assert answer is not None
            assert answer.ok, address
            page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
            hostile.check_page(page, self.host)
        hostile.check_page(page, self.host, ".message.assistant .markdown", answers=True)


@pytest.fixture
def readers(signed_in: Callable[[bool], Visitor], running: Site, foreign: ForeignServer) -> Readers:
    return Readers(signed_in, running.vendor, foreign.host)


@pytest.mark.timeout(3000)
def test_nothing_that_is_written_acts_on_who_reads_it(readers: Readers, evil: Graph) -> None:
    kinds = hostile.payloads(readers.host)
    alone = [texts[at : at + ON_A_PAGE] for texts in kinds.values() for at in range(0, len(texts), ON_A_PAGE)]
    for texts in alone if FULL else ():
        readers.begin()
        for text in texts:
            readers.ask(text, Script(text=text, token_chars=1, delay_s=0.012))
        readers.check_reloaded()
        readers.check_pages()
    readers.begin()
    everything = "\n\n".join(text for texts in kinds.values() for text in texts)
    readers.ask(everything, Script(text=everything, token_chars=40, delay_s=0.004))
    readers.ask("Think", Script(reasoning=ATTACK, tool_calls=CALLS), Script(reasoning=ATTACK, text=ATTACK))
    readers.ask("Fail", Script(status=400, error=f"{ATTACK} [x](javascript:window.ran=1)"))
    readers.open_everything()
    readers.check_reloaded()
    changed = reverse("admin:graphs_graph_change", args=[evil.pk])
    readers.check_pages("/", changed, reverse("admin:chat_session_changelist"))
