"""The one tool of a generation: the form that a model fills in, whose call becomes proposals."""

import uuid
from collections.abc import Collection, Sequence
from typing import Any

from chat.models import Session
from chat.proposals import WriteCall
from chat.proposals.policy import EMPTY, asked_in_any_case
from chat.providers.model_request import ToolSpec
from chat.subjects.generating import Change, Generation, Output, Request
from chat.tools.proposing import Proposer
from chat.tools.schemas import parameters
from graphs.objects.actions import NAMES, Batch, CreateObject, UpdateObject, parse
from graphs.objects.kinds import KINDS
from graphs.objects.model_rows import row_of
from graphs.objects.model_values import record_of
from graphs.site.json_values import same

#: The end of the id of what was applied because it was empty; what was filled waits under the id of the call itself.
OF_EMPTY_FIELDS = ":empty"


class Form(Proposer[Output]):
    """Takes the output of one generation.

    What only fills empty fields is apart from what changes filled ones, unless a person has to decide on both.
    """

    description = "Takes your result. Call it once, with every field; leave a text empty that you know nothing about."

    def __init__(self, generation: Generation[Any], request: Request, session_id: uuid.UUID, *, by_model: bool) -> None:
        """`by_model`: a model asked for it, so that a person decides on all of it."""
        self.name = f"write_{generation.prompt_type}"
        self.arguments = generation.output
        self._generation, self._request, self._by_model = generation, request, by_model
        self._session_id = session_id

    def spec(self) -> ToolSpec:
        """What the model is told of it: every field is required and no other is allowed, as vendors want it."""
        (schema,) = parameters([self])
        return ToolSpec(self.name, self.description, _closed(schema), forced=True)

    def proposals(self, call_id: str, arguments: Output) -> Sequence[WriteCall]:
        changes = self._generation.changes(self._request, arguments)
        made = [change for change in changes if isinstance(change, CreateObject)]
        updates = [change for change in changes if isinstance(change, UpdateObject)]
        wanted = [{True, False}] if updates and self._asks_about_all() else [{True}, {False}]
        parts: list[list[Change]] = [[*self._parts(updates, which)] for which in wanted]
        parts[0] = [*made, *parts[0]]
        parts = [part for part in parts if part]
        ids = [call_id + OF_EMPTY_FIELDS, call_id][-len(parts) :] if parts else []
        return [self._call(id_, part, arguments.reason) for id_, part in zip(ids, parts, strict=True)]

    def _asks_about_all(self) -> bool:
        """Whether a person has to decide on empty fields, too: on all of them at once, then."""
        session = Session.objects.get(pk=self._session_id)
        tool = f"propose_{NAMES[UpdateObject]}"
        return bool(asked_in_any_case(session, self._request.about, tool, self._by_model))

    def _parts(self, updates: Sequence[UpdateObject], empty: Collection[bool]) -> list[UpdateObject]:
        """Of updates of the object what changes fields that are `empty`, or not; without what is so already."""
        row = row_of(self._request.about)
        now = record_of(KINDS[self._request.about.type], row) if updates and row is not None else {}
        parts = []
        for update in updates:
            new = {
                name: value
                for name, value in (update.updates or {}).items()
                if (now.get(name) in EMPTY) in empty and not same(now.get(name), value)
            }
            if new:
                parts.append(UpdateObject.model_validate({"object": str(update.object), "updates": new}))
        return parts

    def _call(self, call_id: str, changes: Sequence[Change], reason: str) -> WriteCall:
        """The changes as a call of the tool that proposes such a thing in conversations: it is decided like one."""
        steps = [{"tool": f"propose_{NAMES[type(change)]}", "arguments": _arguments(change)} for change in changes]
        tool, arguments = f"propose_{NAMES[type(changes[0])]}", _arguments(changes[0])
        if len(changes) > 1:
            tool, arguments = f"propose_{NAMES[Batch]}", {"actions": steps}
        action = parse(tool.removeprefix("propose_"), arguments)
        return WriteCall(call_id, tool, action, arguments, reason, request_validation=self._by_model)


def _closed(schema: Any) -> Any:
    """The schema with all fields of each object required, and no others allowed."""
    if isinstance(schema, list):
        return [_closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {
        name: {field: _closed(part) for field, part in value.items()} if name == "properties" else _closed(value)
        for name, value in schema.items()
    }
    if "properties" in schema:
        closed |= {"required": list(schema["properties"]), "additionalProperties": False}
    return closed


def _arguments(change: Change) -> dict[str, Any]:
    """The change as JSON, as a model would have written it."""
    return change.model_dump(mode="json", exclude_unset=True)
