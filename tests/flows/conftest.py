"""The cast at the real doors: a site of real processes, and pages on which somebody has signed in."""

from collections.abc import Callable, Iterator

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser
from pytest_django import DjangoDbBlocker

from chat.models import Run, RunStatus
from graphs.models import Graph, Role, Workspace
from tests.browser import Windows, port, sign_in
from tests.cast import member
from tests.chat.engine.driving import until
from tests.emptying import kept
from tests.flows.records import let_it_rest, new_portfolio
from tests.flows.visitor import Visitor
from tests.graphs.records.portfolio import Portfolio
from tests.site import Site, site
from tests.things import Thing, node_of, product_of


@pytest.fixture
def cast(transactional_db: None, alice: User, bob: User, charlie: User, nba: Graph) -> None:
    """Everybody is there, and the graph they talk about."""


@pytest.fixture
def one_process(lasting_site: Site, cast: None) -> Iterator[Site]:
    yield lasting_site
    _forget(lasting_site)


@pytest.fixture(scope="module")
def shared_cast(browser: Browser, django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Workspace]:
    """The cast for all stories of a module, which find what others left. Gives the workspace `demo`."""
    with django_db_blocker.unblock(), kept():
        demo, other = (Workspace.objects.create(slug=slug, name=slug.title()) for slug in ("demo", "other"))
        for name, workspace, role in (("alice", demo, Role.EDITOR), ("bob", demo, Role.VIEWER)):
            member(name, workspace, role)
        member("charlie", other, Role.EDITOR)
        yield demo


@pytest.fixture(scope="module")
def shared_site(shared_cast: Workspace) -> Iterator[Site]:
    """One process for all stories of a module: to start it takes as long as most of them."""
    with site(port=port()) as started:
        yield started


@pytest.fixture
def thing(kind_of_thing: str, cast: None, nba: Graph) -> Thing:
    """What a story of any object is about: a node on the page of its graph, or a product on a page of its own."""
    return node_of(nba) if kind_of_thing == "node" else product_of(nba.workspace)


@pytest.fixture(scope="module")
def selling_site(lasting_site: Site) -> Iterator[Site]:
    """One process of a project that has products, beside one of a project that has none."""
    with site(module="tests.faults.selling", port=port("selling")) as started:
        yield started


@pytest.fixture
def its_site(request: pytest.FixtureRequest, thing: Thing) -> Iterator[Site]:
    """A process of a project that has such things."""
    lent: Site = request.getfixturevalue("lasting_site" if thing.item.type == "node" else "selling_site")
    yield lent
    _forget(lent)


def _forget(lent: Site) -> None:
    """The next test finds nothing under way, and a vendor who was asked nothing."""
    until(lambda: not Run.objects.filter(status__in=(RunStatus.QUEUED, RunStatus.RUNNING)).exists())
    lent.vendor.reset()


@pytest.fixture
def two_processes(cast: None) -> Iterator[Site]:
    with site(2) as started:
        yield started


@pytest.fixture
def visit(windows: Windows) -> Callable[..., Visitor]:
    """Opens a window of its own for somebody: `visit(url, "alice")`, who is signed in, or `visit(url)`."""

    def open_browser(url: str, username: str = "", locale: str = "en-US", width: int = 1280) -> Visitor:
        page = windows.open(viewport={"width": width, "height": 800}, locale=locale)
        page.context.set_default_timeout(15_000)
        if username:
            sign_in(page.context, User.objects.get(username=username), url)
        return Visitor(page, url)

    return open_browser


@pytest.fixture
def work(shared_site: Site) -> Portfolio:
    """The records that one story is about; the others have their own."""
    let_it_rest(shared_site)
    return new_portfolio()
