"""What an answer is made of: a `Round` for each call of the model, with its tool `Call`s. Kept as JSON."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import models

#: The status of a call that waits for a person.
WAITING = "waiting"


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call: `arguments` is the text that the model wrote, `args` what was read from it.

    `status` is "running", "waiting" (for a person), "ok" or "error". `model_text` is the result as sent to the model;
    None until there is one, and for old results.
    """

    id: str
    name: str
    args: dict[str, Any]
    result: Any = None
    status: str = "running"
    arguments: str = ""
    model_text: str | None = None

    @property
    def waits(self) -> bool:
        return self.status == WAITING

    def for_readers(self) -> dict[str, Any]:
        """The call as people get it."""
        return {"id": self.id, "name": self.name, "args": self.args, "result": self.result, "status": self.status}

    def to_json(self) -> dict[str, Any]:
        model_text = {} if self.model_text is None else {"told": self.model_text}
        return {**self.for_readers(), "arguments": self.arguments, **model_text}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Call":
        return cls(
            id=stored["id"],
            name=stored["name"],
            args=stored["args"],
            result=stored["result"],
            status=stored["status"],
            arguments=stored["arguments"],
            model_text=stored.get("told"),
        )


@dataclass(frozen=True, slots=True)
class Round:
    """One call of the model: what it wrote, thought and asked for.

    Only its `vendor` understands `vendor_blocks`. `model` is None in old rounds. An `aside` is no call: words that the
    model gave beforehand, shown once its change was made.
    """

    text: str
    reasoning: str = ""
    calls: tuple[Call, ...] = ()
    vendor: str = ""
    vendor_blocks: tuple[dict[str, Any], ...] = ()
    model: str | None = ""
    aside: bool = False

    def to_json(self) -> dict[str, Any]:
        model = {} if self.model is None else {"model": self.model}
        return {
            "text": self.text,
            "reasoning": self.reasoning,
            "toolCalls": [call.to_json() for call in self.calls],
            "vendor": self.vendor,
            "vendorBlocks": list(self.vendor_blocks),
            **model,
            **({"aside": True} if self.aside else {}),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Round":
        return cls(
            text=stored["text"],
            reasoning=stored["reasoning"],
            calls=tuple(map(Call.from_json, stored["toolCalls"])),
            vendor=stored["vendor"],
            vendor_blocks=tuple(stored["vendorBlocks"]),
            model=stored.get("model"),
            aside=stored.get("aside", False),
        )


def calls_of(rounds: Iterable[Round]) -> list[Call]:
    return [call for round_ in rounds for call in round_.calls]


class RoundsField(models.JSONField):
    """A list of `Round`s, stored as JSON. What is compared with it in a filter is JSON."""

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> list[Round]:
        return [Round.from_json(stored) for stored in super().from_db_value(value, expression, connection)]

    def get_prep_value(self, value: Any) -> Any:
        """A filter may give parts of a round."""
        return super().get_prep_value([each.to_json() if isinstance(each, Round) else each for each in value])

    def value_to_string(self, obj: models.Model) -> Any:
        """The JSON that `dumpdata` writes."""
        return self.get_prep_value(self.value_from_object(obj))

    def to_python(self, value: Any) -> list[Round]:
        """Reads what `value_to_string` gave."""
        return [each if isinstance(each, Round) else Round.from_json(each) for each in super().to_python(value)]

    def deconstruct(self) -> Any:
        """The column is one of JSON, for migrations."""
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.JSONField", args, kwargs
