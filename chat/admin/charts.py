"""Bars as SVG, drawn here so that no page needs a script. Their colours are in `chat/static/chat/admin.css`."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

WIDTH, HEIGHT = 900, 200
#: Above the highest bar, below the axis.
TOP, BOTTOM = 30, 30
#: A word under the axis for every so many units of width.
LABEL_EVERY = 90


@dataclass(frozen=True, slots=True)
class Bar:
    """`label` stands under the axis where there is room, `text` is what the bar says when it is pointed at."""

    label: str
    value: float
    text: str


def columns(bars: Sequence[Bar], most: str, name: str) -> SafeString:
    """Columns from left to right; `most` is the highest value in words, `name` what the chart is about."""
    highest = max((bar.value for bar in bars), default=0) or 1
    step = WIDTH / max(len(bars), 1)
    room = HEIGHT - TOP - BOTTOM
    every = max(round(LABEL_EVERY / step), 1)

    def column(index: int, bar: Bar) -> tuple[str, str, str, str, str]:
        height = room * bar.value / highest
        return (f"{index * step + step * 0.1:.1f}", f"{HEIGHT - BOTTOM - height:.1f}", f"{step * 0.8:.1f}",
                f"{height:.1f}", bar.text)  # fmt: skip

    drawn = [column(index, bar) for index, bar in enumerate(bars)]
    words = [
        (_room_for(index, every, len(bars)), f"{index * step:.1f}", bar.label)
        for index, bar in enumerate(bars)
        if index % every == 0 and (index + every <= len(bars) or index == 0)
    ]
    return format_html(
        '<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">'
        '<line class="axis" x1="0" y1="{}" x2="{}" y2="{}"/><text class="most" x="0" y="22">{}</text>{}{}</svg>',
        *(WIDTH, HEIGHT, name, HEIGHT - BOTTOM, WIDTH, HEIGHT - BOTTOM, most),
        format_html_join("", '<rect x="{}" y="{}" width="{}" height="{}" rx="2"><title>{}</title></rect>', drawn),
        format_html_join("", f'<text class="{{}}" x="{{}}" y="{HEIGHT - 6}">{{}}</text>', words),
    )


def _room_for(index: int, every: int, count: int) -> str:
    """The class of a word: on small screens there is room for one in three."""
    also_small = index % (3 * every) == 0 and (index + 2 * every <= count or index == 0)
    return "label" if also_small else "label more"


def share(of_whole: float, more: float = 0, name: str = "") -> SafeString:
    """One bar lying on its side: a part of the whole, and beside it another one. Both are between 0 and 1."""
    first = min(max(of_whole, 0), 1)
    second = min(max(more, 0), 1 - first)
    return format_html(
        '<svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="{}">'
        '<rect class="whole" width="100" height="8" rx="2"/><rect class="part" width="{}" height="8" rx="2"/>'
        '<rect class="more" x="{}" width="{}" height="8"/></svg>',
        *(name, f"{100 * first:.2f}", f"{100 * first:.2f}", f"{100 * second:.2f}"),
    )
