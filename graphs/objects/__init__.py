"""What can be changed. `register`, called in a module `objects.py` of an app, makes rows of a model objects."""

from graphs.objects.kinds import Field
from graphs.objects.registration import register, register_view

__all__ = ["Field", "register", "register_view"]
