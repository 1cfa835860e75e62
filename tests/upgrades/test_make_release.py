"""The script that makes a release is run at tags only: here it is run as well, so that it still can be."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User

from graphs.models import Workspace
from tests.chat.engine.driving import Engine
from tests.upgrades import database
from tests.upgrades.make_release import as_a_site, make
from tests.vendors import VendorServer

__all__ = ["as_a_site"]  # a fixture
pytestmark = pytest.mark.django_db(transaction=True)


def test_it_makes_what_the_last_release_has(
    running: Engine, vendor: VendorServer, demo_workspace: Workspace, alice: User, bob: User, tmp_path: Path
) -> None:
    made, last = make(tmp_path, vendor, demo_workspace, alice), database.releases()[-1]
    assert database.tables(made) >= database.tables(last)
    facts, kept = database.facts_of(made), database.facts_of(last)
    assert facts.keys() >= kept.keys()
    assert facts["sessions"].keys() >= kept["sessions"].keys()
    kinds = [{name.partition(":")[0] for name in each["first"]} for each in (facts, kept)]
    assert kinds[0] >= kinds[1]
