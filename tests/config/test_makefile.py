"""The Makefile: what is secret goes from the environment to the environment, past every command line."""

import os
import subprocess

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
