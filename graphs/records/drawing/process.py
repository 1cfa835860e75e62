"""The process that draws: `python -m graphs.records.drawing.process`. The library is in no other.

It reads lines, "svg <scene>" or "png <drawing as a JSON string>", and answers each with "done" or "failed", a space,
the number of bytes and a new line, and then these bytes. It ends when nobody asks for a minute, and with its parent.
"""

import json
import os
import select
import sys
from typing import BinaryIO

import vl_convert

from graphs.records.drawing import finishing, placing, spec
from graphs.records.drawing.scene import Scene

IDLE_S = 60.0
#: Pixels of a picture for each unit of the drawing.
_SCALE = 2.0
_PADDING = 2.0


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


def svg(scene: Scene) -> bytes:
    """The drawing of a scene."""
    texts = [*(mark.name for mark in scene.marks), *scene.quadrants]
    widths = [max(width, _least(text)) for width, text in zip(_measured(texts), texts, strict=True)]
    names, corners = widths[: len(scene.marks)], widths[len(scene.marks) :]
    spots = placing.spots(scene)
    boxes = placing.names([width + _PADDING if width else 0 for width in names], spots, corners, scene.canvas)
    drawn = vl_convert.vega_to_svg(spec.drawing(scene, spots, boxes), format_locale=scene.locale, allowed_base_urls=[])
    return finishing.finished(drawn, scene).encode()


def _measured(texts: list[str]) -> list[float]:
    return finishing.widths(vl_convert.vega_to_svg(spec.measuring(texts), allowed_base_urls=[]))


def _least(text: str) -> float:
    """The width of wide letters, which the library's font may not have and readers' fonts do."""
    return sum(1.0 for letter in text if ord(letter) > 0x2E80) * spec.NAME_SIZE


def _png(drawing: str) -> bytes:
    return vl_convert.svg_to_png(drawing, scale=_SCALE)


def _answer(out: BinaryIO, how: str, content: bytes) -> None:
    out.write(f"{how} {len(content)}\n".encode() + content)
    out.flush()


if __name__ == "__main__":
    main()
