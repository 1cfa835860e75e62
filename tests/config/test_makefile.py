"""The Makefile: what is secret goes from the environment to the environment, past every command line; which Python it
takes."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.config.running import ROOT

CANARY = "canary-of-a-password"


def commands_of_run(*arguments: str, **environment: str) -> str:
    """What `make run` would execute."""
    done = subprocess.run(
        ["make", "--dry-run", "run", *arguments], cwd=ROOT, env=os.environ | environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "manage.py up" in done.stdout
    return done.stdout


def test_the_password_is_on_no_command_line() -> None:
    assert CANARY not in commands_of_run(DEMO_PASSWORD=CANARY)
    assert CANARY not in commands_of_run(f"DEMO_PASSWORD={CANARY}")
    assert "--port 8123 " in commands_of_run("PORT=8123")


def test_no_page_of_the_docs_writes_it_after_make() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    wrong = [
        line
        for page in pages
        for line in page.read_text().splitlines()
        if "DEMO_PASSWORD=" in line.partition("make run")[2]
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("systems", "taken"),
    [
        (("absent", "whole"), "whole"),
        (("bare", "whole"), "whole"),
        (("bare", "absent"), "python3.12"),
    ],
)
def test_it_takes_a_python_of_the_system_that_makes_environments_and_else_one_that_is_found(
    tmp_path: Path, systems: tuple[str, ...], taken: str
) -> None:
    """Debian has what makes them in a package of its own."""
    old = 'case "$2" in *version_info*) exit 1;; esac'
    for name, does in {"whole": "", "bare": "exit 1", "python3.11": old, "python3.12": ""}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / name).chmod(0o755)
    chosen = subprocess.run(
        ["make", "-f", "-", "chosen", f"SYSTEM_PYTHONS={' '.join(str(tmp_path / name) for name in systems)}"],
        input="include Makefile\nchosen:\n\t@echo `$(FIND_PYTHON)`\n",
        cwd=ROOT, env=os.environ | {"PATH": f"{tmp_path}:{os.defpath}"}, capture_output=True, text=True,
    )  # fmt: skip
    assert Path(chosen.stdout.strip()).name == taken, chosen.stderr
