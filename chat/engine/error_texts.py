"""What a person reads when a run fails: the eight errors of a vendor as sentences that say what to do."""

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from http.client import NOT_FOUND
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from chat.models import Prompt, RunErrorCode
from chat.models.runs import Correction
from chat.providers.circuit import CircuitOpen
from chat.providers.provider_error import ProviderError
from graphs.site.vendor_errors import ErrorCode

_CORRECTIONS: dict[ErrorCode, tuple[Correction, ...]] = {
    "content_filter": ("shorter", "model"),
    "context_length": ("summarise", "model"),
}
_SENTENCES: dict[ErrorCode, Promise] = {
    "rate_limit": _("The model is answering too many requests at the moment. Wait a minute, then try again."),
    "server_error": _("The model's service is not available at the moment. Try again in a minute."),
    "auth_error": _("The model's service refused our key. Ask an administrator to check it."),
    "timeout": _("The model took too long to answer. Try again, or ask for less at once."),
    "network": _("The connection to the model broke off. What was written is kept; try again."),
    "content_filter": _("The model's service filtered this conversation. Put the question in other words."),
    "context_length": _("This conversation has become too long for the model. Start a new one."),
    "internal": _("Something unexpected went wrong. It was logged; if it happens again, tell an administrator."),
}
_QUOTA = _("The account with the model's service is used up. Ask an administrator, or choose another model.")
_MUCH_LATER = _("The model's service takes no more requests for now. Try again in %(minutes)s minutes.")
_LEFT_ALONE = _(
    "The model's service failed many times in a row, so it is left alone for now. Try again in %(seconds)s seconds."
)
#: Circumstances that deserve a sentence of their own, though their code is one of the eight.
CUT_BY_LENGTH = _("The answer grew longer than the model may write at once. Ask for a part of it.")
TOO_LONG_FOR_MODEL = _(
    "This does not fit into what the model can read at once, even with the earlier messages summarised. Write a "
    "shorter message, leave out or unpin long ones, or choose a model that reads more."
)
PROCESS_DIED = _("The server that wrote this answer stopped. What was written is kept; try again.")
SAME_FAILURE = _("The model made the same mistake several times, so it was stopped. Put the question in other words.")
UNUSABLE_OUTPUT = _(
    "What the model wrote could not be used, twice. Nothing was changed; what it wrote is kept. Try again, or choose "
    "another model."
)
ACCESS_ENDED = _("You are no longer a member of this workspace.")
CONTEXT_GONE = _("What this conversation is about no longer exists.")
GENERATED_FOR_GONE = _("What this was to be generated for was deleted. Nothing was changed.")
_MAY_NOT_CHANGE = _("%(person)s may not change anything in this workspace any more. Nothing was changed.")
_NONE_ACTIVE = _("No version of the prompt “%(prompt)s” is active. Activate one, then try again.")
_MODEL_UNAVAILABLE = _("The model “%(model)s” is not available. Choose another one: %(available)s.")
_NONE_OFFERED = _("No model is offered to you in this workspace. Tell an administrator of it.")
_UNKNOWN_THERE = _(
    "The model's service does not know the model that was asked. Choose another one, or tell an administrator."
)


@dataclass(frozen=True, slots=True)
class Failure:
    """What a person reads about a run that failed. `gave_up`: a stronger model may do better.

    `corrections` are what may be tried instead of the same again.
    """

    code: RunErrorCode
    text: str | Promise
    retryable: bool
    gave_up: bool = False
    corrections: tuple[Correction, ...] = ()

    def to_json(self, tried: Collection[str] = ()) -> dict[str, Any]:
        """The failure with the corrections that were not tried for this question yet."""
        left = [each for each in self.corrections if each not in tried]
        error = {"code": self.code, "message": str(self.text), "retryable": self.retryable}
        return error | ({"corrections": left} if left else {})


def cut_by_length() -> Failure:
    """An answer that the model could not write to its end."""
    return Failure("context_length", CUT_BY_LENGTH, retryable=False, gave_up=True, corrections=("shorter", "model"))


def filtered() -> Failure:
    """An answer that the vendor did not let through."""
    corrections = _CORRECTIONS["content_filter"]
    return Failure("content_filter", sentence("content_filter"), retryable=False, corrections=corrections)


def may_not_change(person: str) -> Failure:
    """A generation whose person has lost the right to what it is for."""
    return Failure("forbidden", str(_MAY_NOT_CHANGE) % {"person": person}, retryable=False)


def none_active(prompt: Prompt) -> Failure:
    """A generation with a prompt of which no version counts."""
    return Failure("not_found", str(_NONE_ACTIVE) % {"prompt": prompt.shown_name}, retryable=True)


def generated_for_gone() -> Failure:
    """A generation about what was deleted."""
    return Failure("not_found", GENERATED_FOR_GONE, retryable=False)


def model_unavailable(model: str, available: Iterable[str]) -> str:
    """What a person reads who asks for a model that cannot be asked, with those that can."""
    available = list(available)
    if not available:
        return str(_NONE_OFFERED)
    return str(_MODEL_UNAVAILABLE) % {"model": model[:100], "available": ", ".join(available)}


def corrections_for(error: ProviderError, *, could_be_shorter: bool) -> tuple[Correction, ...]:
    """What may be tried after an error of a provider instead of the same again.

    `could_be_shorter`: a summary of more would leave less to be sent.
    """
    used_up = error.code == "rate_limit" and not error.retryable
    if error.status == NOT_FOUND or used_up:
        return ("model",)
    found = _CORRECTIONS.get(error.code, ())
    return found if could_be_shorter else tuple(each for each in found if each != "summarise")


def sentence_for(error: ProviderError) -> str:
    """The sentence for an error of a provider, with what the vendor said about trying again."""
    if isinstance(error, CircuitOpen):
        return str(_LEFT_ALONE) % {"seconds": math.ceil(error.retry_after or 0)}
    if error.status == NOT_FOUND:
        return str(_UNKNOWN_THERE)
    if error.code == "rate_limit" and not error.retryable:
        return str(_QUOTA)
    if error.code == "rate_limit" and (error.retry_after or 0) > 90:
        return str(_MUCH_LATER) % {"minutes": math.ceil((error.retry_after or 0) / 60)}
    return sentence(error.code)


def sentence(code: ErrorCode) -> str:
    """What a person reads about an error, in the active language."""
    return str(_SENTENCES[code])
