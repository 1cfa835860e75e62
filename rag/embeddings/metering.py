"""Makes vectors of texts: every call goes through the meter of the app that counts money, if there is one."""

from collections.abc import Callable, Sequence
from functools import partial

from graphs.site.accounts import Account
from rag.embeddings.embedder import Embedded, Embedder, EmbeddingFailed, Purpose


class OverBudget(EmbeddingFailed):
    """A call that was not made: it would cost too much. `detail` is for people; `too_large`: ask for fewer texts."""

    def __init__(self, sentence: str, retry_after: float | None, *, too_large: bool = False) -> None:
        super().__init__("rate_limit", retryable=False, detail=sentence, retry_after=retry_after, asked=False)
        self.too_large = too_large


#: Gets the model's name, the texts, what they are for, who pays, and the call; gives what it gave.
#: Raises `OverBudget` instead of making it.
Meter = Callable[[str, Sequence[str], Purpose, Account, Callable[[], Embedded]], Embedded]

_meter: Meter | None = None


def use(meter: Meter) -> None:
    """Sets the meter; called once, by `AppConfig.ready`."""
    global _meter
    _meter = meter


def embed(embedder: Embedder, texts: Sequence[str], purpose: Purpose, account: Account) -> Embedded:
    """The only way to an embedder from where something is stored or asked. Raises `EmbeddingFailed`."""
    ask = partial(embedder.embed, texts, purpose)
    return _meter(embedder.name, texts, purpose, account, ask) if _meter else ask()
