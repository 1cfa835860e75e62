"""What is said where a disk is full, by the system or by a program that was started."""

from pathlib import Path

SIGNS = ("No space left on device", "Disk quota exceeded")
#: What a new database takes, and some use of it.
FREE_BYTES = 200 * 2**20
LONGEST_REASON = 300


def reason(text: str) -> str:
    """The last line that says so, "" where none does."""
    lines = (line.strip() for line in reversed(text.splitlines()) if any(sign in line for sign in SIGNS))
    return next(lines, "")[:LONGEST_REASON]


def explain(text: str, folder: Path) -> str | None:
    """What to do about a text that says so of the disk with this folder."""
    said = reason(text)
    return sentence(folder, f" ({said})") if said else None


def sentence(folder: Path, said: str = "") -> str:
    return (
        f"The disk that holds {folder} is full{said}. Free at least {FREE_BYTES // 2**20} MB and start again, or name "
        "a folder on another disk with DATA_DIR=/path. Nothing that was stored is lost."
    )
