from pathlib import Path

import pytest

from bench import __main__ as main
from bench.chainlit import for_asyncpg, installed


def test_where_it_is_not_installed_one_is_told_how(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="pip install chainlit") as told:
        installed(tmp_path / "no-environment")
    assert f"python3 -m venv {tmp_path}/no-environment" in str(told.value)


def test_an_environment_without_it_is_none(tmp_path: Path) -> None:
    """Such as ours: chainlit is no dependency."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(Path(".venv/bin/python").absolute())
    with pytest.raises(SystemExit, match="not installed"):
        installed(tmp_path)


def test_the_benchmark_says_so_before_it_starts_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main, "servers", lambda: pytest.fail("servers were started"))
    with pytest.raises(SystemExit, match="chainlit is not installed"):
        main.main(["questions", "--beside-chainlit", str(tmp_path)])


def test_the_same_database_is_named_for_another_driver() -> None:
    named = for_asyncpg("postgresql://postgres@/chainlit?host=%2Ftmp%2Fserver")
    assert named == "postgresql+asyncpg://postgres@/chainlit?host=%2Ftmp%2Fserver"
