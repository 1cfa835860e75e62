"""What a store of a kind does: it reads an object and its parts, and writes what operations change."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from django.db.models import Model, Q, QuerySet
from django.utils.translation import gettext as _

from graphs.models import Object
from graphs.objects import kinds
from graphs.objects.actions import ChangeRefused, some
from graphs.objects.headers import parent_of, with_rows
from graphs.objects.operations import Create, Delete, Operation, Record, Update, result
from graphs.objects.preconditions import Before, Stored
from graphs.objects.refs import Ref

if TYPE_CHECKING:
    from graphs.objects.object_plan import ObjectPlan


@dataclass(frozen=True, slots=True)
class ObjectChange:
    """What is to be done to one object, one operation for each part. A new object has no primary key."""

    object: Object
    operations: tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class Coming:
    """What came and went so far in one change: headers are made, and deleted, when all else is written.

    `rows` are known to be there, by model and primary key. `headers` are new, by name; `gone` are of deleted rows.
    `versions` are the new ones of objects that were there, by primary key.
    """

    rows: dict[tuple[type[Model], Any], Model] = field(default_factory=dict)
    headers: dict[Ref, Object] = field(default_factory=dict)
    gone: list[Object] = field(default_factory=list)
    versions: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unfit:
    """A part that nobody could make as it would be, and the items whose change makes it so.

    Sentences say why, and what to do instead.
    """

    part: Ref
    by: tuple[Ref, ...]
    why: str
    instead: str


class Store(ABC):
    """How the objects of one kind are read and written. `is_limited`: an object may become too large."""

    is_limited: ClassVar[bool] = False

    @abstractmethod
    def stored(self, of: Object, refs: Collection[Ref], fields: Collection[str] | None = None) -> dict[Ref, Stored]:
        """The named parts of an object, or the object itself, with these fields or all; absent ones are left out."""

    @abstractmethod
    def before(self, of: Object, operations: Sequence[Operation]) -> Before:
        """What the operations touch, as it stands."""

    @abstractmethod
    def write(self, of: Object, operations: Sequence[Operation], before: Before) -> tuple[Operation, ...]:
        """Changes the rows. Gives the operations as the history keeps them: what came or went knows its row."""

    def planner(
        self, plan: "ObjectPlan", asked: Sequence[Any], reserved: Callable[[], Collection[str]]
    ) -> Callable[[Any], None]:
        """What does each of these actions to a plan; new parts get no `reserved` key. Raises `ChangeRefused`."""
        raise ChangeRefused(*(f"This is no change of {plan.around}: {each!r}." for each in asked))

    @abstractmethod
    def title(self, of: Object) -> str:
        """What people call the object now."""

    def labels(self, of: Object, refs: Collection[Ref]) -> dict[Ref, str]:
        """What people call these parts now; those that are gone are left out."""
        named = {kinds.KINDS[ref.type] for ref in refs}
        titles = None if any(kind.called for kind in named) else {kind.title for kind in named}
        return {
            ref: kinds.KINDS[ref.type].name_of(stored.record) or ref.key
            for ref, stored in self.stored(of, refs, titles).items()
        }

    def keys_named(self, objects: Collection[int], search: str) -> Collection[str]:
        """Keys of parts of these objects whose names contain a text."""
        return ()

    def checked(self, item: Ref, new: Record) -> Record:
        """New values as the kind keeps them, once its model allows them. Raises `ChangeRefused`."""
        return new

    def new_key(self, workspace_id: int, title: str, reserved: Callable[[], Collection[str]]) -> str:
        """The key of a new object of this title, none of the `reserved`; "" of a kind whose keys tell nothing."""
        return ""

    def hold(self, workspace_id: int) -> None:  # noqa: B027 - most kinds hold nothing more
        """Holds what more has to stay as it is while objects of the kind change."""

    def require_room(self, workspace_id: int, more: int) -> None:  # noqa: B027 - most kinds have no such limit
        """Raises `ChangeRefused` where a workspace cannot have so many more objects of the kind."""

    def copied_parts(self, of: Object) -> Sequence[Create]:
        """What makes parts of a new object like those of this one."""
        return ()

    def users(self, deleted: Sequence[ObjectChange], others: Sequence[ObjectChange]) -> Iterable[tuple[Ref, Ref]]:
        """What would lose the objects that these changes delete, each with its object, once all others are done."""
        return ()

    def unfit(self, of: Object, operations: Sequence[Operation]) -> Sequence[Unfit]:
        """Parts that these operations would make such as nobody could make them, and that were not so before."""
        return ()

    def stored_objects(self, objects: Sequence[Object], *, held: bool = False) -> dict[Ref, Stored]:
        """Objects of the kind as they stand, without their parts; absent ones are left out.

        With `held`, which they are themselves, their rows may be held until the transaction ends.
        """
        found: dict[Ref, Stored] = {}
        for of in objects:
            found |= self.stored(of, [Ref(of.type, of.key)])
        return found

    def write_all(
        self, changes: "Sequence[tuple[ObjectChange, Before]]", coming: Coming
    ) -> list[tuple[Operation, ...]]:
        """Changes the rows of objects of the kind, of which all come, all go or all stay. Gives what `write` does."""
        return [self.write(change.object, change.operations, before) for change, before in changes]

    def refuse_growth(self, of: Object, by: int, *, back: bool) -> None:  # noqa: B027 - most kinds have no limit
        """Raises `ChangeRefused` if the object, to which so many bytes were just written, is too large; `back`: by a
        rollback."""


def headers(workspace_id: int, refs: Iterable[Ref]) -> QuerySet[Object]:
    """The objects of a workspace with these names; absent ones are left out."""
    keys: dict[str, set[str]] = {}
    for ref in refs:
        keys.setdefault(ref.type, set()).add(ref.key)
    which = Q(pk__in=())
    for type_, names in keys.items():
        which |= Q(type=type_, key__in=names)
    return Object.objects.filter(which, workspace=workspace_id)


def find(workspace_id: int, refs: Iterable[Ref]) -> dict[Ref, Object]:
    """The objects of a workspace with these names, by name."""
    return {Ref(found.type, found.key): found for found in headers(workspace_id, refs)}


def by_owner(
    around: Object, refs: Iterable[Ref], known: Mapping[Ref, Object] | None = None
) -> list[tuple[Object, list[Ref]]]:
    """The refs by their object: parts are of `around`, objects their own, which may be `known`.

    New ones have no primary key.
    """
    here = Ref(around.type, around.key)
    own: list[Ref] = []
    parts: list[Ref] = []
    for ref in refs:
        (own if kinds.is_object(ref.type) and ref != here else parts).append(ref)
    found: list[tuple[Object, list[Ref]]] = [(around, parts)] if parts else []
    there = dict(known or {})
    if unknown := [ref for ref in own if ref not in there]:
        there |= find(around.workspace_id, unknown)
    for ref in own:
        missing = Object(workspace_id=around.workspace_id, type=ref.type, key=ref.key)
        found.append((there.get(ref, missing), [ref]))
    return found


def stored(around: Object, refs: Collection[Ref], fields: Collection[str] | None = None) -> dict[Ref, Stored]:
    """Parts of an object, and other objects of its workspace, as they stand; absent ones are left out."""
    found: dict[Ref, Stored] = {}
    whole: dict[str, list[Object]] = {}
    for owner, items in by_owner(around, refs):
        if owner.pk is None:
            continue
        if kinds.KINDS[owner.type].rows is None:
            found |= kinds.store_of(owner.type).stored(owner, items, fields)
        elif Ref(owner.type, owner.key) in items:
            whole.setdefault(owner.type, []).append(owner)
    for type_, objects in whole.items():
        found |= kinds.store_of(type_).stored_objects(objects)
    return found


def has_part(of: Object, part: Ref) -> bool:
    """Whether the object has a part of this name now."""
    of_kind = any(each.name == part.type for each in kinds.KINDS[of.type].parts)
    return of_kind and bool(kinds.store_of(of.type).stored(of, [part], ()))


def labels(around: Object, refs: Iterable[Ref]) -> dict[Ref, str]:
    """What people call these now; those that are gone are left out."""
    found: dict[Ref, str] = {}
    for owner, items in by_owner(around, {ref for ref in refs if ref.type in kinds.KINDS}):
        if owner.pk is not None and kinds.is_object(owner.type):
            found |= kinds.store_of(owner.type).labels(owner, items)
    return found


def labels_of(owners: Iterable[tuple[Object, Collection[Ref]]]) -> dict[int, dict[Ref, str]]:
    """What people call these parts of objects, or the objects, now, by the primary keys of the objects.

    Those without parts are read together.
    """
    found: dict[int, dict[Ref, str]] = {}
    whole: dict[str, list[Object]] = {}
    for of, refs in owners:
        kind = kinds.KINDS.get(of.type)
        if kind is not None and kind.rows is not None:
            whole.setdefault(of.type, []).append(of)
        else:
            found[of.pk] = labels(of, refs)
    for type_, objects in whole.items():
        records = {ref: each.record for ref, each in kinds.store_of(type_).stored_objects(objects).items()}
        for of in objects:
            own = Ref(type_, of.key)
            found[of.pk] = {own: kinds.KINDS[type_].name_of(records[own]) or of.key} if own in records else {}
    return found


def befores(changes: Sequence[ObjectChange], *, held: bool = False) -> list[Before]:
    """What the operations of each change touch, as it stands: objects without parts are read together.

    With `held`, which the objects are, rows may be held as well.
    """
    whole: dict[str, list[Object]] = {}
    for change in changes:
        if kinds.KINDS[change.object.type].rows is not None:
            whole.setdefault(change.object.type, []).append(change.object)
    found: dict[Ref, Stored] = {}
    for type_, objects in sorted(with_rows(whole).items()):
        found |= kinds.store_of(type_).stored_objects(objects, held=held)
    return [_before(change, found) for change in changes]


def _before(change: ObjectChange, read: Mapping[Ref, Stored]) -> Before:
    of = change.object
    if kinds.KINDS[of.type].rows is None:
        return kinds.store_of(of.type).before(of, change.operations)
    ref = Ref(of.type, of.key)
    return Before({ref: read[ref]} if ref in read else {})


def users(changes: Sequence[ObjectChange], others: Sequence[ObjectChange]) -> dict[Ref, list[Ref]]:
    """What would lose the objects that the changes delete, once all others are done, what comes to them among it."""
    deleted: dict[str, list[ObjectChange]] = {}
    for change in changes:
        own = Ref(change.object.type, change.object.key)
        if any(isinstance(operation, Delete) and operation.item == own for operation in change.operations):
            deleted.setdefault(own.type, []).append(change)
    found: dict[Ref, list[Ref]] = {}
    for type_, of_kind in deleted.items():
        for held_by, user in kinds.store_of(type_).users(of_kind, others):
            found.setdefault(held_by, []).append(user)
    gone = {Ref(type_, each.object.key) for type_, of_kind in deleted.items() for each in of_kind}
    for held_by, user in _coming(others) if gone else ():
        if held_by in gone:
            found.setdefault(held_by, []).append(user)
    return found


def _coming(changes: Sequence[ObjectChange]) -> Iterator[tuple[Ref, Ref]]:
    """What these changes put into an object, with that before it."""
    for change in changes:
        for operation in change.operations:
            key = result(operation).get("parent")
            if key is not None and (holder := parent_of(kinds.KINDS[operation.item.type])) is not None:
                yield Ref(holder.name, key), operation.item


def require_room(workspace_id: int, operations: Iterable[Operation]) -> None:
    """Raises `ChangeRefused` where these would make more objects of a kind than the workspace can have."""
    more: Counter[str] = Counter()
    for operation in operations:
        if not isinstance(operation, Update) and kinds.is_object(operation.item.type):
            more[operation.item.type] += 1 if isinstance(operation, Create) else -1
    for name, count in more.items():
        if count > 0:
            kinds.store_of(name).require_room(workspace_id, count)


def refuse_users(changes: Sequence[ObjectChange], others: Sequence[ObjectChange]) -> None:
    """Raises `ChangeRefused` if something would lose an object that the changes delete."""
    for ref, found in users(changes, others).items():
        # Of a kind that not everybody sees all of, nothing is named but the kind.
        open_kinds = {each.name for each in kinds.KINDS.values() if each.may_see is None}
        names = dict.fromkeys(str(user) if user.type in open_kinds else user.type for user in found)
        message = _("{object} is still used by: {users}.")
        raise ChangeRefused(message.format(object=ref, users=some(names, 5)))


def refuse_unfit(of: Object, operations: Sequence[Operation]) -> None:
    """Raises `ChangeRefused` for parts of an object that nobody could make as they would be."""
    if of.pk is not None and (found := kinds.store_of(of.type).unfit(of, operations)):
        raise ChangeRefused(*(f"{each.why} {each.instead}" for each in found))
