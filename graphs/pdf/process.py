"""The process that sets texts: `python -m graphs.pdf.process part FILE` reads the data of a part and tells its pages,
`merge FILE PART...` puts parts together. The libraries are in no other."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

TEMPLATE = Path(__file__).with_name("document.typ")


def main(arguments: Sequence[str]) -> None:
    """Does what the arguments say."""
    os.nice(5)  # who streams comes first
    what, target, *parts = arguments
    if what == "part":
        sys.stdout.write(str(_set(sys.stdin.read(), target)))
    else:
        _merge(target, parts)


def _set(data: str, target: str) -> int:
    """Writes the pages of a part, and returns how many there are."""
    import typst

    from graphs.pdf.fonts import fonts

    made = typst.compile(TEMPLATE.read_bytes(), font_paths=fonts(), sys_inputs={"data": data})
    assert isinstance(made, bytes)
    Path(target).write_bytes(made)
    return _pages(target)


def _pages(path: str) -> int:
    from pypdf import PdfReader

    return len(PdfReader(path).pages)


def _merge(target: str, parts: Sequence[str]) -> None:
    from pypdf import PdfWriter

    writer = PdfWriter()
    for part in parts:
        writer.append(part, import_outline=False)
    writer.write(target)


if __name__ == "__main__":
    main(sys.argv[1:])
