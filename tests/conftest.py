"""What every test stands on: servers, settings, no network. Fixtures for one subject live beside its tests."""

import gc
import os
import zlib
from collections.abc import Iterator

import django
import pytest
from django.conf import settings
from django.db import connection
from django.utils import translation
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis
from pytest_django import DjangoDbBlocker

from graphs.site import owner
from tests import chromium, emptying, migrated, network, servers

if settings.configured:
    pytest.exit("Unset DJANGO_SETTINGS_MODULE: the settings must be read after the servers were started.", 2)
# Until all tests are imported, whatever there is stays: looking for garbage in it takes seconds.
gc.disable()
# At import, because settings are read before the first hook of this file is called.
servers.clean_environment()
SERVERS = None if servers.is_worker() else servers.Servers()
try:
    if SERVERS:
        SERVERS.start()
    else:
        servers.separate_worker()
    # In this process only: the product's own processes do not know it.
    settings.INSTALLED_APPS = [*settings.INSTALLED_APPS, "tests.shop"]
    django.setup()
except BaseException:
    if SERVERS:
        SERVERS.stop()
    raise

pytest_plugins = [
    "tests.cast",
    "tests.browser",
    "tests.order",
    "tests.site",
    "tests.things",
    "tests.graphs.records.portfolio",
]


#: Characters of a text that names a test, and of its beginning where there are more.
LONG_ID, BEGINNING = 200, 40

# How long an example takes says how busy the machine is.
hypothesis.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis.load_profile("patient")


def pytest_configure() -> None:
    # Workers inherit our environment. With this name in it they would read the settings before this file.
    os.environ.pop("DJANGO_SETTINGS_MODULE", None)
    network.guard()
    emptying.install()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    gc.freeze()
    # A test makes more than these and leaves next to nothing: it is looked for less often.
    gc.set_threshold(20_000)
    gc.enable()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None, django_db_blocker: DjangoDbBlocker) -> None:
    """On a PostgreSQL of our own, the database is a copy of one that is migrated."""
    if os.environ.get("TEST_OWN_POSTGRES"):
        with django_db_blocker.unblock():
            connection.settings_dict["TEST"]["TEMPLATE"] = migrated.template()


@pytest.fixture(scope="session", autouse=True)
def owning_is_no_problem() -> Iterator[None]:
    """Tests are the owner of their tables, of which a site would be warned on every page."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(owner, "rights_to_rewrite", lambda: "")
        yield


def pytest_make_parametrize_id(val: object) -> str | None:
    """A long text is told by its beginning: each worker hands the names of all tests to the others."""
    if not isinstance(val, str | bytes) or len(val) <= LONG_ID:
        return None
    whole = val.encode(errors="surrogatepass") if isinstance(val, str) else val
    beginning = val[:BEGINNING] if isinstance(val, str) else val[:BEGINNING].decode("latin-1")
    return f"{beginning.encode('unicode_escape').decode()}...{len(val)}-{zlib.crc32(whole):08x}"


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """A request in French leaves its thread in French: the next test begins in the language of the site."""
    translation.deactivate()


def pytest_unconfigure() -> None:
    if SERVERS:
        SERVERS.stop()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What a module starts (processes, a browser) stays on one worker, which has a database of its own.

    So do the modules that need the servers that fail: those are dear to start. At full counts it would take hours.
    """
    no_browser = pytest.mark.skip(reason=chromium.MISSING)
    for item in items:
        if item.get_closest_marker("processes") or item.get_closest_marker("browser"):
            shared = "outage" in item.fixturenames and not os.environ.get("FULL")  # type: ignore[attr-defined]
            item.add_marker(pytest.mark.xdist_group("outage" if shared else item.nodeid.partition("::")[0]))
        if item.get_closest_marker("browser") and not chromium.path():
            item.add_marker(no_browser)
