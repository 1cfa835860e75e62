import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.config.running import Up


@pytest.fixture
def as_ordinary_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)


@pytest.fixture(scope="module")
def data_dir() -> Iterator[Path]:
    """Where PostgreSQL's user can enter when the tests run as root, unlike in pytest's own folders."""
    folder = Path(tempfile.mkdtemp(prefix="countersign-up-", dir="/tmp"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def up(data_dir: Path) -> Iterator[Callable[..., Up]]:
    """Starts `manage.py up` on the module's data folder; at the end nothing of it is left."""
    started: list[Up] = []

    def start(*arguments: str, folder: Path = data_dir, **env: str) -> Up:
        started.append(Up(folder, arguments, env))
        return started[-1]

    yield start
    for running in started:
        running.end()


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]
