"""What can be asked for, by name, of tools (`propose_` and the name) and of people. Rooms register theirs."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Annotated, Any, Self

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _
from pydantic import Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from graphs.objects.kinds import whole_of
from graphs.objects.refs import Ref, RefText
from graphs.objects.strict import DataPatch, JSONObject, Key, ShortText, StrictModel
from graphs.site.field_sentences import TYPE_AND_ID, WrongWithin, wrong_fields
from graphs.site.json_values import shown

#: Problems that one refusal tells.
MAX_SENTENCES = 5
#: And that are told to programs.
MAX_PROBLEMS = 100


class ChangeRefused(Exception):
    """What was asked for cannot be done as it was asked; its text says, to a model or a person, what to do instead."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(_first(problems, MAX_SENTENCES)))
        self.problems = _first(problems, MAX_PROBLEMS)


def _first(problems: Sequence[str], most: int) -> list[str]:
    more = len(problems) - most
    return [*problems[:most], *([_("And {count} more.").format(count=intcomma(more))] if more > 0 else [])]


def some(keys: Iterable[str], most: int = 20) -> str:
    """The first keys, to name in a refusal."""
    first = list(islice(keys, most + 1))
    return ", ".join(first[:most]) + (" …" if len(first) > most else "")


#: Actions of one batch.
MAX_ACTIONS = 1_000
#: Mistakes of one action that are named.
MAX_MISTAKES = 5

Action = StrictModel
#: What a model may propose; each is the tool `propose_` and its name.
PROPOSABLE: dict[str, type[StrictModel]] = {}
#: Everything a person may do by hand.
ACTIONS: dict[str, type[StrictModel]] = {}
NAMES: dict[type[StrictModel], str] = {}


def register(actions: Mapping[str, type[StrictModel]], *, proposable: bool = True) -> None:
    """Makes actions known by their names. Without `proposable` only people may ask for them."""
    for name, model in actions.items():
        ACTIONS[name] = model
        NAMES[model] = name
        if proposable:
            PROPOSABLE[name] = model


class UnknownAction(ValueError):
    """There is no action of this name."""


def parse(name: str, arguments: dict[str, Any]) -> Any:
    """The action. Raises `UnknownAction`, or pydantic's `ValidationError` for arguments that do not fit."""
    if name not in ACTIONS:
        raise UnknownAction(name)
    return ACTIONS[name].model_validate(arguments)


def mistakes(error: ValidationError) -> str:
    """What is wrong with arguments, for a model: "'updates.width': Input should be greater than 0."."""
    details = error.errors(include_url=False, include_input=False)
    named = [f"{quoted('.'.join(map(str, detail['loc'])))}: {_mistake(detail)}." for detail in details[:MAX_MISTAKES]]
    more = len(details) - len(named)
    return " ".join(named) + (f" And {more} more." if more else "")


def _mistake(detail: ErrorDetails) -> str:
    """What is wrong, as pydantic says it; of a name that is none, how one is written."""
    is_name = detail.get("ctx", {}).get("pattern") == TYPE_AND_ID
    return "Write type:id, as list_objects and search_objects give it" if is_name else detail["msg"]


def mistakes_for_people(error: ValidationError) -> str:
    """What is wrong with arguments, for a person: "'updates.width': This must be more than 0."."""
    found = list(wrong_fields(error))
    named = [f"{quoted('.'.join(map(str, steps)))}: {sentence}" for steps, sentence in found[:MAX_MISTAKES]]
    more = len(found) - len(named)
    return " ".join([*named, _("And {count} more.").format(count=intcomma(more))] if more else named)


def quoted(text: str) -> str:
    """A text from outside, to quote back."""
    return f"'{shown(text)}'"


class BatchStep(StrictModel):
    """One action of a batch."""

    tool: Annotated[str, Field(max_length=60, description="A propose_ tool.")]
    arguments: dict[str, Any] = Field(description="That tool's; reason may be left out.")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        assert self.action
        return self

    @cached_property
    def action(self) -> Action:
        name = self.tool.removeprefix("propose_")
        if name not in PROPOSABLE or name == "batch":
            names = ", ".join(known for known in PROPOSABLE if known != "batch")
            raise ValueError(_("a batch knows {names}").format(names=names))
        try:
            action: Action = parse(name, {key: value for key, value in self.arguments.items() if key != "reason"})
        except ValidationError as error:
            raise WrongWithin(mistakes(error), "arguments", error) from None
        return action


class Batch(StrictModel):
    actions: Annotated[list[BatchStep], Field(min_length=1, max_length=MAX_ACTIONS)]

    def steps(self) -> tuple[Action, ...]:
        return tuple(step.action for step in self.actions)


def steps_of(asked: "list[Action] | tuple[Action, ...]") -> list[Action]:
    """The actions, with those of batches in their places."""
    return [step for action in asked for step in (action.steps() if isinstance(action, Batch) else (action,))]


class ObjectPatch(DataPatch):
    """A patch of a text: of a field, or of a text within one."""

    path: ShortText = Field(description="Name of the field.")


class UpdateObject(StrictModel):
    object: RefText
    updates: JSONObject | None = Field(None, description="New values by fields.")
    patches: Annotated[list[ObjectPatch], Field(min_length=1, max_length=100)] | None = Field(
        None, description="Changes of long texts."
    )

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.updates and not self.patches:
            raise ValueError(_("give updates or patches"))
        return self

    def changed(self) -> tuple[Ref, ...]:
        return (self.object,)

    def named(self) -> tuple[Ref, ...]:
        return (self.object,)


class CreateObject(StrictModel):
    kind: ShortText
    parent: RefText | None = None
    fields: JSONObject
    key: Key | None = Field(None, description="To name it in a batch; else made.")

    def named(self) -> tuple[Ref, ...]:
        return (self.parent,) if self.parent else ()


class DeleteObject(StrictModel):
    object: RefText

    def changed(self) -> tuple[Ref, ...]:
        return (self.object,)

    def named(self) -> tuple[Ref, ...]:
        return (self.object,)


class MoveObject(StrictModel):
    object: RefText
    parent: RefText | None = Field(description="null: held by none.")

    def changed(self) -> tuple[Ref, ...]:
        return (self.object,)

    def named(self) -> tuple[Ref, ...]:
        return (self.object, self.parent) if self.parent else (self.object,)


ObjectAction = UpdateObject | CreateObject | DeleteObject | MoveObject
register(
    {
        "update_object": UpdateObject,
        "create_object": CreateObject,
        "delete_object": DeleteObject,
        "move_object": MoveObject,
        "batch": Batch,
    }
)


def refuse_others(edited: Action, proposed: Action) -> None:
    """Raises `ChangeRefused` for an edited action that does more than was proposed, or does it to something else."""
    more, there = (Counter(map(_what, steps_of([each]))) for each in (edited, proposed))
    if more <= there:
        return
    about = some(dict.fromkeys(str(ref) for _type, _kind, refs in there for ref in refs))
    if not about:
        raise ChangeRefused(_("Edited, a proposal does nothing that was not proposed."))
    raise ChangeRefused(_("Edited, a proposal still changes what it was about: {items}.").format(items=about))


def _what(step: Action) -> tuple[type[Action], str, tuple[Ref, ...]]:
    """What a step does, to what; of one that makes an object, which kind."""
    return type(step), step.kind if isinstance(step, CreateObject) else "", step.changed()


def named_by(asked: Sequence[Action]) -> list[Ref]:
    """The objects that actions name, in their order; behind what is a view the whole that it changes."""
    named = (ref for step in steps_of(list(asked)) for ref in step.named())
    return list(dict.fromkeys(each for ref in named for each in (ref, whole_of(ref))))
