"""The keys of objects that are to be made: of which kinds some can be, and what a new one is called."""

import uuid
from collections.abc import Callable, Collection, Sequence
from typing import Any

from django.db import models
from django.utils.text import slugify
from django.utils.translation import gettext as _

from graphs.models.objects import MAX_KEY
from graphs.objects.actions import Action, ChangeRefused, CreateObject, steps_of
from graphs.objects.kinds import KINDS, Kind, is_object, store_of
from graphs.objects.refs import Ref
from graphs.site.counted_keys import counts_keys, new_ids
from graphs.site.json_values import shown

#: Gets the name of a kind, and gives keys that nothing new of it gets.
Reserved = Callable[[str], Collection[str]]


def may_create(kind: Kind) -> bool:
    """Whether new objects of the kind can be made here: it is known which workspace they belong to."""
    if kind.view_of:
        return False
    by_column = bool(kind.workspace) and "__" not in kind.workspace
    return kind.rows is None or by_column or bool(kind.parent) or kind.place_new is not None


class NewKeys:
    """Makes keys for new objects of a workspace, each once."""

    def __init__(self, workspace_id: int, reserved: Reserved = lambda _kind: ()) -> None:
        self._workspace_id = workspace_id
        self._reserved = reserved
        self._given: set[Ref] = set()

    def give(self, ref: Ref) -> None:
        """Notes that a new object has this name."""
        self._given.add(ref)

    def make(self, kind: Kind, title: str) -> str:
        """A key that no other object gets."""
        named = store_of(kind.name).new_key(self._workspace_id, title, lambda: self._not_free(kind.name))
        key = named or _made(kind, title)
        self.give(Ref(kind.name, key))
        return key

    def _not_free(self, kind: str) -> set[str]:
        return {*self._reserved(kind), *(ref.key for ref in self._given if ref.type == kind)}


def keyed(name: str, arguments: dict[str, Any], keys: NewKeys) -> dict[str, Any]:
    """Arguments of an action with keys for the objects that it makes, so that every plan of it makes the same ones.

    Where the database counts the keys, one that was asked for is only a name within the batch: whether a number is free
    would tell what other workspaces have.
    """
    if name != "batch":
        return _keyed(name, arguments, keys)
    for step in arguments["actions"]:
        if _creates(str(step["tool"])) and step["arguments"].get("key"):
            keys.give(Ref(step["arguments"]["kind"], step["arguments"]["key"]))
    names: dict[str, str] = {}
    return {"actions": [_keyed_step(step, names, keys) for step in arguments["actions"]]}


def with_keys_of(name: str, edited: dict[str, Any], proposed: dict[str, Any]) -> dict[str, Any]:
    """Edited arguments of an action with the keys that it was proposed with, where they were left out.

    Otherwise each plan of them would make others.
    """
    free: dict[str, list[str]] = {}
    for step in _creating(name, proposed):
        if step.get("key"):
            free.setdefault(step["kind"], []).append(step["key"])
    for step in _creating(name, edited):
        if step.get("key") in free.get(step["kind"], ()):
            free[step["kind"]].remove(step["key"])

    def filled(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        left = free.get(arguments["kind"]) if _creates(tool) and not arguments.get("key") else None
        return arguments | {"key": left.pop(0)} if left else arguments

    if name != "batch":
        return filled(name, edited)
    return edited | {
        "actions": [step | {"arguments": filled(step["tool"], step["arguments"])} for step in edited["actions"]]
    }


def _creating(name: str, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """The arguments of all that makes an object."""
    steps: list[dict[str, Any]] = arguments["actions"] if name == "batch" else [{"tool": name, "arguments": arguments}]
    return [step["arguments"] for step in steps if _creates(step["tool"])]


def refuse_numbers(asked: Sequence[Action], counted: Sequence[Action] = ()) -> None:
    """Raises `ChangeRefused` for keys that the database counts and that somebody chose, but for those of `counted`."""
    for ref in sorted(_numbers(asked) - _numbers(counted)):
        raise no_key(ref)


def no_key(ref: Ref) -> ChangeRefused:
    """The refusal of a key that nothing of the kind can have."""
    message = _('No {kind} can have the key "{key}". Leave it out, then one is made.')
    return ChangeRefused(message.format(kind=ref.type, key=shown(ref.key)))


def is_new(kind: Kind) -> bool:
    """Whether a key that is made here is nobody else's, without a look."""
    return isinstance(kind.model._meta.pk, models.UUIDField) or counts_keys(kind.model)


def _numbers(asked: Sequence[Action]) -> set[Ref]:
    made = [step for step in steps_of(list(asked)) if isinstance(step, CreateObject) and step.kind in KINDS]
    return {Ref(step.kind, step.key) for step in made if step.key and counts_keys(KINDS[step.kind].model)}


def _creates(tool: str) -> bool:
    return tool.removeprefix("propose_") == "create_object"


def _keyed(name: str, arguments: dict[str, Any], keys: NewKeys) -> dict[str, Any]:
    kind = KINDS.get(arguments["kind"]) if name == "create_object" else None
    if kind is None or not is_object(kind.name) or not may_create(kind):
        return arguments
    if arguments.get("key") and not counts_keys(kind.model):
        return arguments
    return arguments | {"key": keys.make(kind, str(arguments["fields"].get(kind.title) or ""))}


def _keyed_step(step: dict[str, Any], names: dict[str, str], keys: NewKeys) -> dict[str, Any]:
    """A step of a batch with the new `names` of what earlier ones make; notes those of its own."""
    asked = step["arguments"]
    asked = asked | {of: names[asked[of]] for of in ("object", "parent") if asked.get(of) in names}
    made = _keyed(step["tool"].removeprefix("propose_"), asked, keys)
    if asked.get("key") and made is not asked:
        name = Ref(made["kind"], asked["key"])
        if str(name) in names:
            raise no_key(name)
        names[str(name)] = str(Ref(made["kind"], made["key"]))
    return step | {"arguments": made}


def _made(kind: Kind, title: str) -> str:
    """A key that was not made before, without a look at those there are, which may be of other workspaces."""
    column: Any = kind.model._meta.pk
    if isinstance(column, models.UUIDField):
        return str(uuid.uuid4())
    if counts_keys(kind.model):
        return str(new_ids(kind.model, 1)[0])
    if isinstance(column, models.IntegerField):
        raise ChangeRefused(_("Keys of {kind} are not made here: give one.").format(kind=kind.name))
    made = f"{slugify(title)[:40] or kind.name.lower()}-{uuid.uuid4().hex[:6]}"
    return made[-(column.max_length or MAX_KEY) :].lstrip("-")
