"""What can be changed: kinds and their fields, operations, and whether something is still as it was.

`register` makes rows of a Django model objects; call it in a module `objects.py` of your app.
"""

from graphs.objects.kinds import Field
from graphs.objects.registration import register

__all__ = ["Field", "register"]
