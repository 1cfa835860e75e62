"""How wide texts are taken to be, and where they are cut."""

import pytest
from pypdf._codecs.core_font_metrics import CORE_FONT_METRICS

from graphs.records.drawing import texts
from graphs.records.drawing.texts import cut, width

HELVETICA = CORE_FONT_METRICS["Helvetica"].character_widths


def test_letters_are_as_wide_as_in_helvetica() -> None:
    assert {letter: HELVETICA[letter] for letter in texts._WIDTHS} == texts._WIDTHS
    for accented in "éàçÜñôŠžÀÊ":
        assert width(accented, 1000) == HELVETICA[accented]


@pytest.mark.parametrize(
    ("text", "wide"),
    [
        ("", 0), ("a\u0301", 556), ("\u200b\u200d\ufe0f", 0), ("日本", 2_000), ("안", 1_000), ("ｗ", 1_000),
        ("👩", 1_000), ("👩\u200d👩\u200d👧", 1_000), ("ש", 450), ("م", 450), ("ж", 560), ("Ж", 650),
        ("\t\n\u00a0", 3 * 278),
    ],
)  # fmt: skip
def test_other_letters_are_about_as_wide_as_they_are_in_most_fonts(text: str, wide: int) -> None:
    assert width(text, 1000) == wide


def test_what_has_room_is_not_cut() -> None:
    assert cut("Picking", 12, width("Picking", 12)) == "Picking"


@pytest.mark.parametrize("text", ["Predict demand of " * 8, "W" * 200, "日本" * 40, "👩\u200d👧" * 30, "a\u0301" * 60])
def test_what_is_cut_fills_its_room_and_no_more(text: str) -> None:
    found = cut(text, 12, 120)
    assert text.startswith(found.removesuffix("…"))
    assert 120 - 24 < width(found, 12) <= 120


def test_a_letter_is_not_cut_within() -> None:
    assert cut("é".join("xy") + "e\u0301" * 9, 10, 40).removesuffix("…").endswith(("x", "y", "\u0301"))
    assert cut("👩\u200d👧" * 9, 10, 35) == "👩\u200d👧👩\u200d👧…"


def test_something_stays_of_a_text_where_nothing_has_room() -> None:
    assert cut("Picking", 12, 1) == "P…"
