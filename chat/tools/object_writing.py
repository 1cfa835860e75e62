"""The tools with which a model proposes changes of objects of any kind."""

from chat.tools.proposing import WriteTool
from graphs.objects.actions import Batch, CreateObject, DeleteObject, MoveObject, UpdateObject

BATCH = WriteTool(
    Batch,
    "Proposes several changes that belong together, decided as one and applied all or none, in this order: later"
    " ones see earlier ones. Proposals of one answer do not see each other, so what builds on another change must"
    " be in one batch. Give a new node a key to refer to it in later actions of the batch.",
)
WRITE_TOOLS = (
    WriteTool(
        UpdateObject,
        "Proposes new values of an object's fields. Only what is given changes. Change long texts with patches: each"
        " search text must occur exactly once in the field.",
    ),
    WriteTool(CreateObject, "Proposes a new object of a kind; its parent is the object that holds it."),
    WriteTool(DeleteObject, "Proposes to delete an object. What still holds others cannot be deleted."),
    WriteTool(MoveObject, "Proposes another parent for an object."),
)
