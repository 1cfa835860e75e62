"""What a managed prompt makes of an object of a kind: the shape of the output, and the changes that it asks for."""

import uuid
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from django.utils.functional import Promise
from pydantic import Field

from chat.proposals.policy import EMPTY
from chat.tools.proposing import MAX_REASON
from chat.tools.tool import Arguments
from graphs.models import Object
from graphs.objects.actions import CreateObject, UpdateObject
from graphs.objects.kinds import KINDS
from graphs.objects.refs import Ref
from graphs.site.access import Member

Change = CreateObject | UpdateObject
#: How many a person may ask for, where a prompt makes several.
FEWEST, MOST = 3, 25


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for: about which object, by which run, and how many where that makes a difference."""

    run_id: uuid.UUID
    member: Member
    about: Object
    count: int | None

    def key(self, place: int) -> str:
        """The key of the n-th object that this run makes: the same however often it is made."""
        return str(uuid.uuid5(self.run_id, str(place)))


class Output(Arguments):
    """What a model writes. Every field has to be there, an empty one too: so vendors can hold it to the schema."""

    reason: Annotated[str, Field(min_length=1, max_length=MAX_REASON)] = Field(
        description="What this rests on, what was guessed, and what is missing: a few sentences for the person."
    )


O = TypeVar("O", bound=Output)  # noqa: E741 - as generic as T


class Generation(ABC, Generic[O]):
    """What prompts of one type make of an object. Of what comes of it, `then` asks with the prompt of that key."""

    prompt_type: str
    #: The words of the button, and of the block that shows it.
    label: str | Promise
    output: type[O]
    #: Whether the person may say how many.
    counts: bool = False
    #: Whether the model may search the web first, where a search engine is configured.
    searches: bool = False
    then: str = ""

    @abstractmethod
    def changes(self, request: Request, output: O) -> Sequence[Change]:
        """The changes that an output asks for. Raises `ChangeRefused`, whose text tells the model what is wrong."""


class Fills(Generation[O]):
    """Fills fields of the object itself; what the model leaves empty stays as it is."""

    def __init__(
        self, type_: str, label: str | Promise, output: type[O], fields: Mapping[str, str], *, searches: bool = False
    ) -> None:
        """`fields` are the names of the object's fields by those of the output."""
        unknown = set(fields) - set(output.model_fields)
        assert not unknown, unknown
        self.prompt_type, self.label, self.output, self.fields = type_, label, output, fields
        self.searches = searches

    def changes(self, request: Request, output: O) -> Sequence[Change]:
        updates = {name: getattr(output, ours) for ours, name in self.fields.items()} | self.more(request, output)
        said = {name: value for name, value in updates.items() if value not in EMPTY}
        of = Ref(request.about.type, request.about.key)
        return [UpdateObject.model_validate({"object": str(of), "updates": said})] if said else []

    def more(self, request: Request, output: O) -> dict[str, Any]:
        """Further fields, that need more than a name. Raises `ChangeRefused`."""
        return {}


def require_fields(kind: str, generation: Generation[Any]) -> None:
    """Raises `ValueError` for a generation that fills what the kind has not."""
    if isinstance(generation, Fills):
        known = {field.name for field in KINDS[kind].fields}
        if unknown := sorted(set(generation.fields.values()) - known):
            raise ValueError(f"{kind} has no fields {', '.join(unknown)}. Generations fill fields of their kind.")
