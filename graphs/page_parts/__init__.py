"""What the page of an object of any kind shows: its fields, what it holds, and which conversations changed it."""

from graphs.page_parts.looks import register_look
from graphs.page_parts.page import ObjectPage, page_of

__all__ = ["ObjectPage", "page_of", "register_look"]
