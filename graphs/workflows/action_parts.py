"""What actions are made of: texts and numbers with their limits, handles, code and its patches."""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from graphs.models.workflows import MAX_EDGE_KEY, MAX_NAME
from graphs.objects.strict import MAX_SHORT, STORABLE, Key, Patches, ShortText, StrictModel, Text
from graphs.workflows.interchange.base import MAX_COORDINATE

MAX_HANDLES = 100
MAX_DESCRIPTION = 10_000


def _visible(key: str) -> str:
    if not key.isprintable() or any(letter.isspace() or letter in "{}" for letter in key):
        raise ValueError("a key may hold no spaces, braces or invisible characters")
    return key


NewKey = Annotated[Key, AfterValidator(_visible)]
EdgeKey = Annotated[str, Field(min_length=1, max_length=MAX_EDGE_KEY), STORABLE]
DisplayName = Annotated[str, Field(min_length=1, max_length=MAX_NAME), STORABLE]
TypeKey = Annotated[str, Field(min_length=1, max_length=MAX_NAME), STORABLE]
Name = Annotated[str, Field(max_length=MAX_NAME), STORABLE]
Description = Annotated[str, Field(max_length=MAX_DESCRIPTION), STORABLE]
Code = Text
Coordinate = Annotated[
    float, Field(ge=-MAX_COORDINATE, le=MAX_COORDINATE, allow_inf_nan=False), AfterValidator(lambda value: value or 0.0)
]
Size = Annotated[float, Field(gt=0, le=MAX_COORDINATE, allow_inf_nan=False)]


class Handle(StrictModel):
    id: Annotated[str, Field(min_length=1, max_length=MAX_SHORT), STORABLE]
    type: Literal["in", "out"]
    accept: ShortText = "any"
    label: Name | None = None


class Handles(StrictModel):
    """Connection points by side: right, left, top, bottom."""

    right: list[Handle] | None = Field(None, alias="R", max_length=MAX_HANDLES)
    left: list[Handle] | None = Field(None, alias="L", max_length=MAX_HANDLES)
    top: list[Handle] | None = Field(None, alias="T", max_length=MAX_HANDLES)
    bottom: list[Handle] | None = Field(None, alias="B", max_length=MAX_HANDLES)

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        handles = [handle for side in (self.right, self.left, self.top, self.bottom) for handle in side or ()]
        if len({(handle.type, handle.id) for handle in handles}) < len(handles):
            raise ValueError("two handles of the same direction have the same id")
        return self

    def to_json(self) -> dict[str, list[dict[str, Any]]]:
        """The handles as nodes and types hold them, without empty sides."""
        return {side: handles for side, handles in self.model_dump(exclude_none=True).items() if handles}


class Coded(StrictModel):
    """Something with code, which is replaced as a whole or patched."""

    process: Code | None = Field(None, description="The whole code; to change code give processPatches.")
    process_patches: Patches | None = Field(None, description="Changes of the code, in this order.")

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.process is not None and self.process_patches is not None:
            raise ValueError("give either process or processPatches")
        return self
