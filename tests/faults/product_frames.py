"""Which function of the product is at work, for what wraps the ways out of it."""

from types import FrameType

PRODUCT = {"chat", "config", "graphs", "rag"}


def product_frame(frame: FrameType | None) -> FrameType | None:
    """The nearest function of the product among the callers."""
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] not in PRODUCT:
        frame = frame.f_back
    return frame
