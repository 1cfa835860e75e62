"""The process that draws: `python -m graphs.records.drawing.process`. The library that makes pictures is in no other.

It reads lines, "svg <scene>" or "png <drawing as a JSON string>", and answers each with "done" or "failed", a space,
the number of bytes and a new line, and then these bytes. It ends when nobody asks for a minute, with its parent, and
after a picture, because the library keeps what it made: 18 MB each time, 200 at last.
"""

import json
import os
import select
import sys
from typing import BinaryIO

import typst

from graphs.pdf.fonts import fonts
from graphs.records.drawing.scene import Scene
from graphs.records.drawing.svg import svg

IDLE_S = 60.0
#: A page that is nothing but the drawing, which is data, with two pixels for each unit of it.
_PAGE = b'#set page(width: auto, height: auto, margin: 0pt)\n#image(bytes(sys.inputs.drawing), format: "svg")'
_PIXELS_PER_INCH = 2 * 96.0


def main(idle_s: float = IDLE_S) -> None:
    """Answers requests until there is none for so long, or no more will come."""
    os.nice(5)  # who streams comes first
    lines, out = sys.stdin.buffer, sys.stdout.buffer
    while select.select([lines], [], [], idle_s)[0] and (line := lines.readline()):
        what, _space, given = line.decode().partition(" ")
        try:
            _answer(out, "done", svg(Scene.from_json(given)) if what == "svg" else _png(json.loads(given)))
        except Exception as error:  # whatever it is, the next drawing may be fine
            _answer(out, "failed", f"{type(error).__name__}: {error}".encode())
        if what == "png":
            break


def _png(drawing: str) -> bytes:
    made = typst.compile(_PAGE, format="png", ppi=_PIXELS_PER_INCH, font_paths=fonts(), sys_inputs={"drawing": drawing})
    assert isinstance(made, bytes)
    return made


def _answer(out: BinaryIO, how: str, content: bytes) -> None:
    out.write(f"{how} {len(content)}\n".encode() + content)
    out.flush()


if __name__ == "__main__":
    main()
