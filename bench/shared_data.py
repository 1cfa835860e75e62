"""The data that benchmarks read from the folder beside this repository, where it is there."""

from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def absent(what: str) -> str:
    """What is printed where there is none of it."""
    return f"Nothing to measure: {what} are not in {DATA}."
