"""What the page of an object of any kind shows: its fields, what it holds, and which conversations changed it."""

from graphs.object_pages.looks import register_look
from graphs.object_pages.page import ObjectPage, page_of

__all__ = ["ObjectPage", "page_of", "register_look"]
