"""What actions are made of: texts and numbers with their limits, handles, code and its patches."""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from graphs.models.workflows import MAX_EDGE_KEY, MAX_KEY, MAX_NAME
from graphs.site.json_values import storable_object, storable_text
from graphs.workflows.interchange.base import MAX_COORDINATE

#: Characters of code.
MAX_PROCESS = 1_000_000
MAX_HANDLES = 100
MAX_SHORT = 100
MAX_DESCRIPTION = 10_000


def _visible(key: str) -> str:
    if not key.isprintable() or any(letter.isspace() or letter in "{}" for letter in key):
        raise ValueError("a key may hold no spaces, braces or invisible characters")
    return key


# After the lengths, which else were told in "items".
_STORABLE = AfterValidator(storable_text)
Key = Annotated[str, Field(min_length=1, max_length=MAX_KEY), _STORABLE]
NewKey = Annotated[Key, AfterValidator(_visible)]
EdgeKey = Annotated[str, Field(min_length=1, max_length=MAX_EDGE_KEY), _STORABLE]
DisplayName = Annotated[str, Field(min_length=1, max_length=MAX_NAME), _STORABLE]
TypeKey = Annotated[str, Field(min_length=1, max_length=MAX_NAME), _STORABLE]
Name = Annotated[str, Field(max_length=MAX_NAME), _STORABLE]
ShortText = Annotated[str, Field(max_length=MAX_SHORT), _STORABLE]
Description = Annotated[str, Field(max_length=MAX_DESCRIPTION), _STORABLE]
Code = Annotated[str, Field(max_length=MAX_PROCESS), _STORABLE]
Coordinate = Annotated[
    float, Field(ge=-MAX_COORDINATE, le=MAX_COORDINATE, allow_inf_nan=False), AfterValidator(lambda value: value or 0.0)
]
Size = Annotated[float, Field(gt=0, le=MAX_COORDINATE, allow_inf_nan=False)]
JSONObject = Annotated[dict[str, Any], AfterValidator(storable_object)]


class Part(BaseModel):
    """camelCase on the wire, nothing but the fields, no guessing of types."""

    model_config = ConfigDict(
        alias_generator=to_camel, serialize_by_alias=True, extra="forbid", strict=True, frozen=True
    )


class Handle(Part):
    id: Annotated[str, Field(min_length=1, max_length=MAX_SHORT), _STORABLE]
    type: Literal["in", "out"]
    accept: ShortText = "any"
    label: Name | None = None


class Handles(Part):
    """Connection points by side: right, left, top, bottom."""

    right: list[Handle] | None = Field(None, alias="R", max_length=MAX_HANDLES)
    left: list[Handle] | None = Field(None, alias="L", max_length=MAX_HANDLES)
    top: list[Handle] | None = Field(None, alias="T", max_length=MAX_HANDLES)
    bottom: list[Handle] | None = Field(None, alias="B", max_length=MAX_HANDLES)

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        handles = [handle for side in self._sides() for handle in side]
        if len({(handle.type, handle.id) for handle in handles}) < len(handles):
            raise ValueError("two handles of the same direction have the same id")
        return self

    def _sides(self) -> list[list[Handle]]:
        return [side or [] for side in (self.right, self.left, self.top, self.bottom)]

    def to_json(self) -> dict[str, list[dict[str, Any]]]:
        """As nodes and types hold them, without empty sides."""
        return {side: handles for side, handles in self.model_dump(exclude_none=True).items() if handles}


class Patch(Part):
    """Replaces a text that occurs exactly once."""

    search: Annotated[
        str, Field(min_length=1, max_length=MAX_PROCESS, description="Copied exactly; occurs only once."), _STORABLE
    ]
    replace: Code


class DataPatch(Patch):
    """A patch of a text in the data."""

    path: ShortText = Field(pattern="^/", description="JSON Pointer to the text: /parameters/prompt")


Patches = Annotated[list[Patch], Field(min_length=1, max_length=100)]


class Coded(Part):
    """Something with code, which is replaced as a whole or patched."""

    process: Code | None = Field(None, description="The whole code; to change code give processPatches.")
    process_patches: Patches | None = Field(None, description="Changes of the code, in this order.")

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.process is not None and self.process_patches is not None:
            raise ValueError("give either process or processPatches")
        return self
