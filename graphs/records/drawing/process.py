"""The process that draws: `python -m graphs.records.drawing.process`. The library is in no other.

It reads lines, "svg <scene>" or "png <drawing as a JSON string>", and answers each with "done" or "failed", a space,
the number of bytes and a new line, and then these bytes. It ends when nobody asks for a minute, and with its parent.
"""

import json
import os
import select
import sys
import unicodedata
from collections.abc import Sequence
from typing import BinaryIO

import vl_convert

from graphs.records.drawing import finishing, placing, spec
from graphs.records.drawing.placing import Box, Name
from graphs.records.drawing.scene import Scene

IDLE_S = 60.0
#: Pixels of a picture for each unit of the drawing.
_SCALE = 2.0
#: Letters from here on are as wide as they are high.
_WIDE = 0x2E80
_JOINER = "\u200d"


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
    texts = [mark.name for mark in scene.marks]
    measured = _measured([*texts, *scene.quadrants])
    widths, corners = measured[: len(texts)], measured[len(texts) :]
    spots = placing.spots(scene, corners)
    names = _names(texts, widths, placing.names(widths, spots, corners, scene.canvas, placing.threshold_lines(scene)))
    drawn = vl_convert.vega_to_svg(spec.drawing(scene, spots, names), format_locale=scene.locale, allowed_base_urls=[])
    return finishing.finished(drawn, scene, names, corners).encode()


def _names(texts: Sequence[str], widths: Sequence[float], boxes: Sequence[Box | None]) -> list[Name | None]:
    """The names of these widths in their boxes, cut to what these hold."""
    shown = [
        _cut(text, box.width / width) if box and box.width < width else text
        for text, width, box in zip(texts, widths, boxes, strict=True)
    ]
    lengths = _measured(shown) if shown != texts else widths
    return [
        Name(box, text, min(length, box.width)) if box else None
        for box, text, length in zip(boxes, shown, lengths, strict=True)
    ]


def _measured(texts: Sequence[str]) -> list[float]:
    """The widths of texts. Wide letters have theirs also where the library has no font for them, as readers have."""
    found = finishing.widths(vl_convert.vega_to_svg(spec.measuring(texts), allowed_base_urls=[]))
    wide = (sum(ord(letter) >= _WIDE for letter in text) * spec.NAME_SIZE for text in texts)
    return [max(width, least) for width, least in zip(found, wide, strict=True)]


def _cut(text: str, share: float) -> str:
    """About so much of a text. Marks that belong to a letter that is cut off go with it."""
    kept = text[: max(int(len(text) * share) - 1, 1)].rstrip()
    while len(kept) > 1 and (unicodedata.combining(text[len(kept)]) or _JOINER in kept[-1] + text[len(kept)]):
        kept = kept[:-1]
    return f"{kept}…"


def _png(drawing: str) -> bytes:
    return vl_convert.svg_to_png(drawing, scale=_SCALE)


def _answer(out: BinaryIO, how: str, content: bytes) -> None:
    out.write(f"{how} {len(content)}\n".encode() + content)
    out.flush()


if __name__ == "__main__":
    main()
