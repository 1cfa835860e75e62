"""What is asked for, as strict models: camelCase on the wire, nothing but the fields, no guessing of types."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from graphs.models.objects import MAX_KEY
from graphs.objects.refs import Ref
from graphs.site.field_sentences import POINTER
from graphs.site.json_values import storable_object, storable_text

#: Characters of one text.
MAX_TEXT = 1_000_000
MAX_SHORT = 100

# After the lengths, which else were told in "items".
STORABLE = AfterValidator(storable_text)
Key = Annotated[str, Field(min_length=1, max_length=MAX_KEY), STORABLE]
ShortText = Annotated[str, Field(max_length=MAX_SHORT), STORABLE]
Text = Annotated[str, Field(max_length=MAX_TEXT), STORABLE]
JSONObject = Annotated[dict[str, Any], AfterValidator(storable_object)]


class StrictModel(BaseModel):
    """camelCase on the wire, nothing but the fields, no guessing of types."""

    model_config = ConfigDict(
        alias_generator=to_camel, serialize_by_alias=True, extra="forbid", strict=True, frozen=True
    )

    def changed(self) -> tuple[Ref, ...]:
        """What is there already that it changes or deletes, if it is an action."""
        return ()

    def named(self) -> tuple[Ref, ...]:
        """The objects that it names if it is an action: those that it changes, and parents."""
        return ()


class Patch(StrictModel):
    """Replaces a text that occurs exactly once."""

    search: Annotated[
        str, Field(min_length=1, max_length=MAX_TEXT, description="Copied exactly; occurs once."), STORABLE
    ]
    replace: Text


class DataPatch(Patch):
    """A patch of a text in the data."""

    path: ShortText = Field(pattern=POINTER, description="JSON Pointer: /parameters/prompt")


Patches = Annotated[list[Patch], Field(min_length=1, max_length=100)]
