"""docs/your-own-model.md: a project that is made of its code blocks and nothing else does what the page says."""

import os
import re
import subprocess
import sys
import uuid
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest

pytestmark = pytest.mark.processes

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "your-own-model.md"
_BLOCK = re.compile(r"```(?:python|html)\n(?:# |<!-- )(\S+)(?: -->)?\n(.*?)```", re.DOTALL)
STORY = Path(__file__).with_name("story.py")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the project, made by the commands and the files of the page."""
    folder = tmp_path_factory.mktemp("own-model")
    run(folder, "-m", "django", "startproject", "mysite", ".")
    run(folder, "manage.py", "startapp", "shop")
    blocks = _BLOCK.findall(PAGE.read_text())
    assert len(blocks) >= 8
    written: set[str] = set()
    for name, text in blocks:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a" if name in written else "w") as file:
            file.write(text)
        written.add(name)
    run(folder, "manage.py", "makemigrations", "shop")
    return folder


def environment(folder: Path) -> dict[str, str]:
    address = urlsplit(os.environ["DATABASE_URL"])
    own = urlunsplit(address._replace(path=f"/own_model_{uuid.uuid4().hex[:12]}"))
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return kept | {
        "DJANGO_SETTINGS_MODULE": "mysite.settings",
        "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}",
        "DATABASE_URL": own,
        "REDIS_PREFIX": f"test-{uuid.uuid4()}",
    }


def run(folder: Path, *arguments: str) -> str:
    """What the command said. Fails with all of it."""
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment(folder), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.timeout(1200)  # Many tests; what hangs in one of them ends that one.
def test_a_model_of_somebody_else_is_an_object(project: Path) -> None:
    bare = "-q", "-p", "no:cacheprovider", "--noconftest", "-c", os.devnull
    said = run(project, "-m", "pytest", *bare, "--timeout", "120", str(STORY))
    assert re.search(r"\d+ passed", said), said
