"""What a conversation about an object of some kind is told, offered and asked first: the words and tools of a kind."""

from chat.subjects.registered_subjects import register
from chat.subjects.subject import Subject, Welcome

__all__ = ["Subject", "Welcome", "register"]
