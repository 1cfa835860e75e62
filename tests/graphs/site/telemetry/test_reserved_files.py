"""Figures on a full disk: the process lives, counts on in memory, and comes back to the disk."""

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from prometheus_client.mmap_dict import MmapedDict

from graphs.site.telemetry import reserved_files
from graphs.site.telemetry.reserved_files import ReservedFile


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """A disk that has no room while the one value in the list is true."""
    is_full = [False]
    write = os.pwrite

    def pwrite(file: int, data: bytes, offset: int) -> int:
        if is_full[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(file, data[:1000], offset)

    monkeypatch.setattr(os, "pwrite", pwrite)
    monkeypatch.setattr(reserved_files, "TRY_AGAIN_S", 0.0)
    return is_full


def stored(path: Path) -> dict[str, float]:
    """What another process reads of them."""
    return {key: value for key, value, *_rest in MmapedDict.read_all_values_from_file(str(path))}


def name(number: int) -> str:
    return json.dumps([f"metric{number}", "x" * 1000])


def test_it_keeps_what_the_library_reads(tmp_path: Path, full: list[bool]) -> None:
    path = tmp_path / "counter_1.db"
    figures = ReservedFile(str(path))
    for number in range(200):
        figures.write_value(name(number), number, 0.0)
    assert stored(path) == {name(number): number for number in range(200)}
    assert path.stat().st_size >= 200 * 1000
    assert path.stat().st_blocks * 512 >= path.stat().st_size, "a hole would end the process on a full disk"
    figures.close()
    again = ReservedFile(str(path))
    assert again.read_value(name(7)) == (7.0, 0.0)
    again.write_value(name(7), 70, 0.0)
    assert stored(path)[name(7)] == 70
    again.close()


def test_a_full_disk_at_the_beginning(tmp_path: Path, full: list[bool], caplog: pytest.LogCaptureFixture) -> None:
    full[0] = True
    path = tmp_path / "counter_1.db"
    figures = ReservedFile(str(path))
    for number in range(200):
        figures.write_value(name(number), number, 0.0)
    assert not path.exists(), "half a file nobody can read"
    assert figures.read_value(name(199)) == (199.0, 0.0)
    assert caplog.text.count("no room for metrics") == 1
    full[0] = False
    figures.write_value(name(1), 10, 0.0)
    assert stored(path) == {name(number): 10 if number == 1 else number for number in range(200)}
    figures.close()


def test_a_disk_that_is_full_later_and_again(tmp_path: Path, full: list[bool]) -> None:
    path = tmp_path / "counter_1.db"
    figures = ReservedFile(str(path))
    for round_ in range(3):
        figures.write_value(name(0), round_, 0.0)
        full[0] = True
        for number in range(1, 100 * (round_ + 1)):
            figures.write_value(name(number), number, 0.0)
        full[0] = False
        figures.write_value(name(1), round_, 0.0)
        assert stored(path)[name(0)] == round_
        assert stored(path)[name(100 * (round_ + 1) - 1)] == 100 * (round_ + 1) - 1
    figures.close()


WRITES_ON_A_FULL_DISK = """
import os, pathlib, shutil
folder = pathlib.Path(os.environ["PROMETHEUS_MULTIPROC_DIR"])
import django
from graphs.site.telemetry import reserved_files
reserved_files.TRY_AGAIN_S = 0
django.setup()
with (folder / "filling").open("wb", buffering=0) as filling:
    try:
        while True:
            filling.write(bytes(4096))
    except OSError:
        pass
assert shutil.disk_usage(folder).free < 4096
from graphs.site.telemetry import metrics
for number in range(2000):
    metrics.TOOLS.labels(f"tool-{number}", "ok").inc()
    metrics.RUN_SECONDS.observe(1)
    metrics.GAUGES["open_sockets"].set(number)
(folder / "filling").unlink()
metrics.RUN_SECONDS.observe(1)
metrics.TOOLS.labels("tool-0", "ok").inc()
told = metrics.exposition().decode()
assert "countersign_run_seconds_count 2001.0" in told, [line for line in told.splitlines() if "run_seconds" in line]
assert 'countersign_tool_calls_total{outcome="ok",tool="tool-0"} 2.0' in told
assert 'countersign_tool_calls_total{outcome="ok",tool="tool-1999"} 1.0' in told
"""


@pytest.mark.parametrize("when", ["begun before", "begins on it"])
def test_a_process_on_a_really_full_disk_lives_and_goes_on(tmp_path: Path, when: str) -> None:
    """In a mount of its own, which ends with the process: before, it ended with SIGBUS."""
    unshare = shutil.which("unshare")
    mounts = ["sh", "-c", f'mount -t tmpfs -o size=2m none "{tmp_path}" && exec "$0" "$@"']
    if unshare is None or subprocess.run([unshare, "-m", *mounts, "true"], check=False, capture_output=True).returncode:
        pytest.skip("only root may mount a small disk")
    token = "a-token-of-sixteen" if when == "begun before" else ""  # with it Django begins to count as it is set up
    environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path), "METRICS_TOKEN": token}
    done = subprocess.run(
        [unshare, "-m", *mounts, sys.executable, "-c", WRITES_ON_A_FULL_DISK],
        env={**environment, "DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "no room for metrics" in done.stderr
