"""How an object is named: everywhere, in Python, JSON, queries and links."""

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, Self

from pydantic import Field, GetPydanticSchema, with_config
from pydantic_core import core_schema
from typing_extensions import TypedDict

from graphs.site.field_sentences import TYPE_AND_ID


# A `Ref` as JSON; `id` is its key.
@with_config(extra="forbid")
class ObjectName(TypedDict):
    type: str
    id: str


class Ref(NamedTuple):
    """Names an object (`graph:nba`) or a part of it (`node:fetch-api`); a tuple, because lookups are many."""

    type: str
    key: str

    def __str__(self) -> str:
        return f"{self.type}:{self.key}"

    def to_json(self) -> ObjectName:
        """`{"type": "graph", "id": "nba"}`."""
        return {"type": self.type, "id": self.key}

    @classmethod
    def from_json(cls, name: Mapping[str, Any]) -> Self:
        return cls(name["type"], name["id"])

    @classmethod
    def parse(cls, text: str) -> Self:
        """The object that `type:key` names. Raises `ValueError` for any other text."""
        type_, colon, key = text.partition(":")
        if not (type_ and colon and key):
            raise ValueError(f"{text!r} is no type:id")
        return cls(type_, key)


#: A `Ref` that a model writes as text, and that is stored so, "type:key".
RefText = Annotated[
    Ref,
    GetPydanticSchema(
        lambda _type, _handler: core_schema.no_info_after_validator_function(
            Ref.parse,
            core_schema.str_schema(pattern=TYPE_AND_ID, max_length=140),
            serialization=core_schema.to_string_ser_schema(when_used="always"),
        )
    ),
    Field(description='"type:id".'),
]
