"""The table of a benchmark: product beside reference, and the targets of the design. Misses are shown, no more."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

_HEADS = ("what", "reference", "product", "result", "target", "")


@dataclass(frozen=True)
class Row:
    """`result` is what the target speaks of: a ratio, or a difference in `result_unit`.

    A target is the most that is wanted, or the least where it is to be reached `at_least`.
    """

    what: str
    reference: float
    product: float
    result: float
    target: float | None = None
    unit: str = ""
    result_unit: str = "x"
    at_least: bool = False

    @property
    def met(self) -> bool | None:
        """None where nothing is asked or nothing was measured."""
        if self.target is None or math.isnan(self.result):
            return None
        return self.result >= self.target if self.at_least else self.result <= self.target

    def cells(self) -> list[str]:
        verdict = {True: "met", False: "MISSED", None: ""}[self.met]
        bound = ">=" if self.at_least else "<="
        target = "" if self.target is None else f"{bound} {_short(self.target)} {self.result_unit}".rstrip()
        reference, product = (_with_unit(value, self.unit) for value in (self.reference, self.product))
        return [self.what, reference, product, _with_unit(self.result, self.result_unit), target, verdict]


def table(rows: Sequence[Row]) -> str:
    """As Markdown, its columns aligned."""
    lines = [list(_HEADS), *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEADS))]
    written = ["| " + " | ".join(map(str.ljust, line, widths)) + " |" for line in lines]
    return "\n".join([written[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *written[1:]])


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Cells as they are, under the heads that come first."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def _with_unit(value: float, unit: str) -> str:
    return f"{_short(value)} {unit}".rstrip() if not math.isnan(value) else ""


def _short(value: float) -> str:
    """Three digits that count."""
    if value == 0 or abs(value) >= 100:
        return f"{value:.0f}"
    digits = 2 - math.floor(math.log10(abs(value)))
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
