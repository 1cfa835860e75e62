"""Which function of the product is at work, for what wraps the ways out of it."""

from types import FrameType

PRODUCT = {"chat", "config", "graphs", "rag"}
#: They stand around every statement and are never the one who wants it.
AROUND = {"graphs.site.database_away"}


def product_frame(frame: FrameType | None) -> FrameType | None:
    """The nearest function of the product among the callers."""
    while frame is not None and not _counts(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
    return frame


def _counts(module: str) -> bool:
    return module.partition(".")[0] in PRODUCT and module not in AROUND
