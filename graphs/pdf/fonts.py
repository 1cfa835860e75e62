"""The fonts of documents and pictures: those that packages bring, so that all machines make the same."""

from collections.abc import Iterator
from importlib.util import find_spec

import typst

PACKAGES = ("justmytype_western_core", "justmytype_intl_rtl", "justmytype_intl_cjk")


def fonts() -> typst.Fonts:
    """The fonts of the packages."""
    return typst.Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=list(_folders()))


def _folders() -> Iterator[str]:
    for spec in map(find_spec, PACKAGES):
        yield from (spec.submodule_search_locations or ()) if spec else ()
