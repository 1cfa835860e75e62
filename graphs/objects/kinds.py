"""The kinds of objects and of their parts: their fields by their names on the wire, and the columns behind them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from django.db.models import Model, QuerySet
from django.utils.functional import Promise

from graphs.objects.refs import Ref

if TYPE_CHECKING:
    from graphs.models import Workspace
    from graphs.objects.stores import Store
    from graphs.site.access import Member

#: The path of what a JSON column holds beside the keys that other fields name.
REST = ("*",)
#: Gets a member and a row, and says whether the member may.
May = Callable[["Member", Any], bool]
#: How people read a value: plain text, code (a diff by lines), JSON, a number, yes or no, or the key of something else.
Form = Literal["text", "code", "json", "number", "boolean", "key"]


@dataclass(frozen=True, slots=True)
class EntryTitles:
    """`of` gives titles by id, from this column of the row that holds the object."""

    column: str
    of: Callable[[Any], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Field:
    """`name` on the wire, `column` on the row. A "key" names a part of the kind `names` by a relation of that column.

    `inside` is the path to the value within a JSON column, for a field that is a part of one. One whose path is "*" is
    what the column holds `beside` the keys of its other fields.
    `minor` fields say little to a model that has no room; `limit` is the most characters of a text. `position` fields
    say where something stands: who changes no others moves it. `fixed` ones are shown, and nobody asks for another
    value; of others `reserved` values are set by what the program does itself. A `writer` is the model whose proposal
    made the row.
    `ordering` is a column that has the value, too, for lists to be ordered by. A JSON value of `texts` is a list of
    texts, or one text. A text of one `line` gets a space in the place of each break. Keys within a JSON value that
    people call otherwise are in `keys`; `entries` are the titles of what the ids of its entries lead to. What a field
    that `constrains` holds says what other parts may be: they are looked at when it changes.
    """

    name: str
    column: str
    label: str | Promise
    form: Form = "text"
    names: str = ""
    inside: tuple[str, ...] = ()
    minor: bool = False
    limit: int | None = None
    position: bool = False
    fixed: bool = False
    writer: bool = False
    ordering: str = ""
    reserved: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    texts: bool = False
    line: bool = False
    constrains: bool = False
    keys: tuple[tuple[str, str | Promise], ...] = ()
    entries: EntryTitles | None = field(default=None, compare=False)

    @property
    def attribute(self) -> str:
        """The column itself, if `column` is a relation."""
        return f"{self.column}_id" if self.form == "key" else self.column

    @property
    def ordered(self) -> str:
        """What lists are ordered by, as the ORM names it."""
        return self.ordering or "__".join((self.column, *self.inside))

    @property
    def is_rest(self) -> bool:
        """Whether it is all that a JSON column holds beside other fields."""
        return self.inside == REST


@dataclass(frozen=True)
class Kind:
    """A kind of objects, or of their parts. `title` is the field that people know one by.

    `store` reads and writes objects of the kind, together with their `parts`; a kind without a store is a part.
    `owner` is the column of a part that holds its object. `called` gives the name of a record that has no title.

    A model without a header of its own has `rows`, which gives the rows of a workspace; `workspace` is the path to it,
    if there is one, else `chosen` is what the application gives the rows by. `place_new` gives the columns that put a
    new row into a workspace. `parent` is the foreign key to the object that holds this one. `url` is the name of the
    address of its page, or gives the address for a row. `may_see` and `may_edit` narrow what a member's role allows,
    for a row. `plural` is what several are called. An object of a kind that has `cascade` is deleted together with
    those that it holds. A kind that is a `view_of` another one has some of its fields, and its ids: what is asked for
    of a view is done to the whole, which alone has versions.
    """

    name: str
    label: str | Promise
    title: str
    fields: tuple[Field, ...]
    model: type[Model]
    store: "Store | None" = None
    parts: tuple["Kind", ...] = ()
    owner: str = ""
    called: Callable[[Mapping[str, Any]], str] | None = field(default=None, compare=False)
    rows: Callable[[int], QuerySet[Any]] | None = field(default=None, compare=False)
    workspace: str = ""
    chosen: "Callable[[Workspace], QuerySet[Any]] | None" = field(default=None, compare=False)
    place_new: "Callable[[Workspace], Mapping[str, Any]] | None" = field(default=None, compare=False)
    parent: str = ""
    url: str | Callable[[Any], str] = field(default="", compare=False)
    may_see: May | None = field(default=None, compare=False)
    may_edit: May | None = field(default=None, compare=False)
    plural: str | Promise = ""
    cascade: bool = False
    view_of: str = ""

    def field(self, name: str) -> Field:
        """Raises `KeyError`."""
        return self.by_name[name]

    @cached_property
    def by_name(self) -> dict[str, Field]:
        return {field.name: field for field in self.fields}

    @property
    def table(self) -> str:
        return self.model._meta.db_table

    def name_of(self, record: Mapping[str, Any]) -> str:
        """What people call a record of the kind; "" if these fields do not tell."""
        return self.called(record) if self.called else str(record.get(self.title) or "")


#: Parts of names of columns that hold what no model may read, and no history keep.
_SECRETS = ("password", "passwd", "secret", "token", "api_key", "private_key")

#: All kinds, those of parts behind that of their object, in the order of their registration.
KINDS: dict[str, Kind] = {}


def register(kind: Kind) -> Kind:
    """Makes a kind known, when the program starts. Raises `ValueError` for a name that is taken."""
    for each in (kind, *kind.parts):
        if KINDS.setdefault(each.name, each) is not each:
            raise ValueError(f"Two kinds are called {each.name!r}. Give one of them another name.")
    return kind


def is_secret(column: str) -> bool:
    """Whether a column holds a secret, by its name."""
    return any(part in column.lower() for part in _SECRETS)


def is_object(name: str) -> bool:
    """Whether things of the kind `name` are objects; parts of an object are not."""
    return name in KINDS and KINDS[name].store is not None


def holder_of(name: str) -> Kind:
    """The kind of the objects that things of a kind belong to: itself, or what they are parts of. Raises `KeyError`."""
    kind = KINDS[name]
    return next((each for each in of_objects() if kind in each.parts), kind)


def of_objects() -> list[Kind]:
    """The kinds whose things are objects, in the order of their registration."""
    return [kind for kind in KINDS.values() if kind.store is not None]


def of_models() -> list[Kind]:
    """The kinds that applications registered: those of models without a header of their own, and no views."""
    return [kind for kind in KINDS.values() if kind.rows is not None and not kind.view_of]


def kinds_of(model: type[Model]) -> list[Kind]:
    """The kinds of models that the rows of a model are of: those of a proxy are of its model's, too."""
    return [kind for kind in of_models() if issubclass(model, kind.model)]


def whole_of(ref: Ref) -> Ref:
    """The object that this one is a view of, or itself."""
    kind = KINDS.get(ref.type)
    return Ref(kind.view_of, ref.key) if kind is not None and kind.view_of else ref


def store_of(name: str) -> "Store":
    """The store of objects of a kind. Raises `KeyError` if it is none."""
    store = KINDS[name].store
    if store is None:
        raise KeyError(name)
    return store


_TAKEN: dict[Form, str] = {
    "text": "r->>{}",
    "code": "r->>{}",
    "json": "r->{}",
    "number": "(r->>{})::double precision",
    "boolean": "(r->>{})::boolean",
    "key": "(r->>{})::bigint",
}


def taken(field: Field, place: int | str) -> str:
    """The field's value out of a row `r`: the place in a JSON array, or the quoted name in an object."""
    return _TAKEN[field.form].format(place)
