from pathlib import Path

import pytest

from config import memory


@pytest.mark.parametrize(
    ("allowed", "kept"),
    [("max", None), ("", None), ("9223372036854771712", None), ("4294967296", "512MB"), ("200000000", "128MB")],
)
def test_postgres_keeps_a_part_of_what_its_container_may_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allowed: str, kept: str | None
) -> None:
    monkeypatch.setattr(memory, "LIMITS", (tmp_path / "absent",))
    machine = memory.shared_buffers()
    assert memory.LEAST_MB <= int(machine.removesuffix("MB")) <= memory.MOST_MB
    (tmp_path / "memory.max").write_text(f"{allowed}\n")
    monkeypatch.setattr(memory, "LIMITS", (tmp_path / "memory.max",))
    assert memory.shared_buffers() == kept or (kept is None and memory.shared_buffers() == machine)
