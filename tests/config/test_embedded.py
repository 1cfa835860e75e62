import io
from pathlib import Path

import pytest

from config import embedded, local
from config.problem import Problem
from config.supervisor import Supervisor
from config.terminal import Terminal


@pytest.fixture
def elsewhere(tmp_path: Path) -> local.ServerPaths:
    """As for root, when others cannot enter the data folder."""
    data, home = tmp_path / "data", tmp_path / "system"
    data.mkdir()
    home.mkdir()
    return local.ServerPaths(data, home, home / "socket", data / "valkey")


def test_it_begins_anew_for_a_new_data_folder_and_keeps_the_old_data(elsewhere: local.ServerPaths) -> None:
    elsewhere.postgres_data.mkdir()
    (elsewhere.postgres_data / "PG_VERSION").write_text("18\n")
    out = io.StringIO()
    terminal = Terminal([], out)
    embedded._set_aside_data_of_a_removed_folder(elsewhere, Supervisor(terminal))
    terminal.close()
    assert not elsewhere.postgres_data.exists()
    (aside,) = elsewhere.postgres_home.glob("postgres.aside-*/PG_VERSION")
    assert str(aside.parent) in out.getvalue()


def test_it_does_not_begin_anew_when_its_data_are_missing(elsewhere: local.ServerPaths) -> None:
    supervisor = Supervisor(Terminal([]))
    embedded._set_aside_data_of_a_removed_folder(elsewhere, supervisor)
    with pytest.raises(Problem, match=r"no longer there\. Bring that folder back, or remove"):
        embedded._set_aside_data_of_a_removed_folder(elsewhere, supervisor)
