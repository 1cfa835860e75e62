"""The tools with which a model proposes changes of objects of any kind. Registered in `registry`."""

from chat.tools.base import OBJECTS
from chat.tools.graph_writing import WriteTool
from graphs.objects.actions import CreateObject, DeleteObject, MoveObject, UpdateObject

WRITE_TOOLS = (
    WriteTool(
        UpdateObject,
        "Proposes new values of an object's fields. Only what is given changes. Change long texts with patches: each"
        " search text must occur exactly once in the field.",
        OBJECTS,
    ),
    WriteTool(CreateObject, "Proposes a new object of a kind; its parent is the object that holds it.", OBJECTS),
    WriteTool(DeleteObject, "Proposes to delete an object. What still holds others cannot be deleted.", OBJECTS),
    WriteTool(MoveObject, "Proposes another parent for an object.", OBJECTS),
)
