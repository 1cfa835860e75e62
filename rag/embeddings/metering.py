"""Where texts become vectors, so that somebody can count what that costs, and refuse it.

Nothing here knows of money: the app that does gives a meter when it is ready. Without one every call goes through.
"""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from graphs.models import Object
from rag.embeddings.base import Embedded, Embedder, EmbeddingFailed, Purpose


@dataclass(frozen=True, slots=True)
class Account:
    """Whom a call of a model is for. `object` is `type:id`, `epoch` that of the run's owner."""

    workspace_id: int
    user_id: int | None = None
    session_id: uuid.UUID | None = None
    run_id: uuid.UUID | None = None
    epoch: int = 0
    object: str = ""


def account_of(of: Object) -> Account:
    """The account of the object's workspace, for calls that nobody in particular asks for."""
    return Account(of.workspace_id, object=f"{of.type}:{of.key}")


class OverBudget(EmbeddingFailed):
    """Not asked: it would cost more than may be spent. `detail` is a sentence for people.

    `too_large`: more than one call may cost, so that fewer texts may be paid for.
    """

    def __init__(self, sentence: str, retry_after: float | None, *, too_large: bool = False) -> None:
        super().__init__("rate_limit", retryable=False, detail=sentence, retry_after=retry_after, asked=False)
        self.too_large = too_large


#: Gets the model's name, the texts, what they are for, who pays, and the call; gives what it gave.
#: Raises `OverBudget` instead of making it.
Meter = Callable[[str, Sequence[str], Purpose, Account, Callable[[], Embedded]], Embedded]

_meter: Meter | None = None


def use(meter: Meter) -> None:
    """Called once, by `AppConfig.ready`."""
    global _meter
    _meter = meter


def embed(embedder: Embedder, texts: Sequence[str], purpose: Purpose, account: Account) -> Embedded:
    """The only way to an embedder from where something is stored or asked. Raises `EmbeddingFailed`."""
    ask = partial(embedder.embed, texts, purpose)
    return _meter(embedder.name, texts, purpose, account, ask) if _meter else ask()
