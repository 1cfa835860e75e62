"""The models there are: the settings' table, completed by variables named after each name's first word."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from chat.providers.provider import Price, ProviderConfig, Wire
from chat.providers.sentences import Sentence, gettext_noop
from chat.providers.variables import (
    is_model_name,
    is_strength,
    price_said,
    wrong_key,
    wrong_price,
    wrong_strength,
    wrong_url,
    wrong_window,
)

DETECTION_ORDER = ("deepseek", "openai", "anthropic", "custom")
FALLBACK = "demo"


class Entry(BaseModel):
    """One line of the table. `strength` orders models, the greater the stronger; 0 is unknown.

    `price`: dollars per million tokens of input, cached input and output, and of input that is kept in the vendor's
    cache where that costs something else; None where nobody knows it.
    `context_window`: tokens of prompt and answer together.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    wire: Wire
    base_url: str
    model: str
    max_tokens: int
    price: tuple[float, float, float] | tuple[float, float, float, float] | None
    label: str = ""
    strength: int = 0
    context_window: int = 32_768
    max_tokens_field: str = "max_tokens"
    echo_reasoning: bool = False
    tool_choice_none: bool = False
    thinking_tokens: int = 0
    adaptive_thinking: bool = False

    @property
    def reasons(self) -> bool:
        """Whether its model thinks before it answers, as far as the table tells."""
        thinks = self.adaptive_thinking or self.thinking_tokens > 0
        return thinks or self.echo_reasoning or self.wire == "openai-responses"


class ModelUnavailableError(ValueError):
    """No such provider, or one that is not configured; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A provider that is configured, with the model it uses unless another is named."""

    provider: str
    model: str
    default: bool
    label: str
    strength: int
    reasons: bool
    price: Price | None
    context_window: int

    @property
    def id(self) -> str:
        """The name that `ConfiguredModels.resolve` takes."""
        return f"{self.provider}:{self.model}"


class ConfiguredModels:
    """`table` maps names to the fields of `Entry`; `environ` is the process's environment or something like it.

    `prices` are those that people entered, by provider and model.
    """

    def __init__(
        self,
        table: Mapping[str, Mapping[str, Any]],
        environ: Mapping[str, str],
        prices: Mapping[tuple[str, str], Price] | None = None,
        *,
        idle_timeout_s: float = 60,
        total_timeout_s: float = 600,
    ) -> None:
        self._entries = _entries_of(table)
        self._environ = environ
        self._prices = prices or {}
        self._idle_timeout_s = idle_timeout_s
        self._total_timeout_s = total_timeout_s

    def default(self) -> str:
        """The name that LLM_PROVIDER gives, else the first provider with a key for more than vectors, else the demo."""
        named = self._value("LLM_PROVIDER").lower()
        if named:
            return named
        with_key = (
            name for name in DETECTION_ORDER if name in self._entries and self._value(_variable(name, "API_KEY"))
        )
        return next((name for name in with_key if not self._only_embeds(name)), FALLBACK)

    def resolve(self, choice: str | None = None) -> ProviderConfig:
        """The configuration of "provider", "provider:model" or the default. Raises `ModelUnavailableError`."""
        name, _, model = (choice or self.default()).partition(":")
        if missing := self._missing(name, model):
            raise ModelUnavailableError(missing[0])
        entry = self._entries[name]
        model = model or self._model(name)
        return ProviderConfig(
            name=name,
            wire=entry.wire,
            base_url=self._base_url(name),
            model=model,
            max_tokens=entry.max_tokens,
            price=self._price(name, model),
            context_window=self._context_window(name, model),
            api_key=self._value(_variable(name, "API_KEY")),
            max_tokens_field=entry.max_tokens_field,
            echo_reasoning=entry.echo_reasoning,
            tool_choice_none=entry.tool_choice_none,
            thinking_tokens=entry.thinking_tokens,
            adaptive_thinking=entry.adaptive_thinking,
            idle_timeout_s=self._idle_timeout_s,
            total_timeout_s=self._total_timeout_s,
        )

    def choices(self) -> list[Choice]:
        """The models that can be asked for, the default first."""
        default = self.default()
        usable = [name for name in self._entries if not self._missing(name)]
        usable.sort(key=lambda name: name != default)
        return [self._choice(name, self._model(name), default=name == default) for name in usable]

    def resolve_offered(self, choice: str | None = None) -> ProviderConfig:
        """The configuration of a model that is among `choices`: a vendor has others. Raises `ModelUnavailableError`."""
        config = self.resolve(choice)
        if choice and config.id not in {each.id for each in self.choices()}:
            raise ModelUnavailableError(f"The model {config.id!r} is not offered.")
        return config

    def offered(self, choice: str) -> bool:
        """Whether a model can be asked."""
        try:
            self.resolve_offered(choice)
        except ModelUnavailableError:
            return False
        return True

    def stronger(self, choice: str, among: Sequence[Choice] | None = None) -> Choice | None:
        """The next stronger model, of the same vendor if it has one; None if there is none, or nobody knows.

        `among` are those that may be asked, where that are not all.
        """
        name, _, model = choice.partition(":")
        strength = self._strength(name, model)
        stronger = [other for other in (self.choices() if among is None else among) if other.strength > strength > 0]
        stronger.sort(key=lambda other: (_first_word(other.provider) != _first_word(name), other.strength))
        return stronger[0] if stronger else None

    def problems(self) -> list[str]:
        """Sentences about a configuration that cannot work; none when all is well."""
        sentences = self._unknown_default() or self._missing(self.default())
        for name, entry in self._entries.items():
            url = _variable(name, "BASE_URL")
            sentences += wrong_window(_variable(name, "CONTEXT_WINDOW"), self._environ, entry.max_tokens)
            sentences += wrong_url(url, self._value(url)) if self._value(url) else []
            sentences += wrong_price(_variable(name, "PRICE"), self._environ)
            sentences += wrong_strength(_variable(name, "STRENGTH"), self._environ)
            sentences += wrong_key(_variable(name, "API_KEY"), self._environ)
        sentences += self._ignored_model()
        return list(dict.fromkeys(sentences))

    def _unknown_default(self) -> list[str]:
        name = self.default()
        if name in self._entries:
            return []
        text = gettext_noop("LLM_PROVIDER is '%(name)s', and there is no such provider. Use one of: %(names)s.")
        return [Sentence(text, name=name, names=", ".join(self._entries))]

    def _choice(self, name: str, model: str, *, default: bool) -> Choice:
        entry = self._entries[name]
        return Choice(
            provider=name,
            model=model,
            default=default,
            label=entry.label if entry.label and entry.model == model else model,
            strength=self._strength(name, model),
            reasons=entry.reasons,
            price=self._price(name, model),
            context_window=self._context_window(name, model),
        )

    def _missing(self, name: str, model: str = "") -> list[str]:
        entry = self._entries.get(name)
        if entry is None:
            text = gettext_noop("There is no provider '%(name)s'. Use one of: %(names)s.")
            return [Sentence(text, name=name, names=", ".join(self._entries))]
        if entry.wire == "demo":
            return []
        missing: list[str] = []
        key, base_url = _variable(name, "API_KEY"), _variable(name, "BASE_URL")
        if entry.base_url and not self._value(key):
            missing.append(
                Sentence(
                    gettext_noop("The provider '%(name)s' needs a key: set %(variable)s."), name=name, variable=key
                )
            )
        missing.extend(wrong_window(_variable(name, "CONTEXT_WINDOW"), self._environ, entry.max_tokens))
        missing.extend(wrong_price(_variable(name, "PRICE"), self._environ))
        missing.extend(wrong_strength(_variable(name, "STRENGTH"), self._environ))
        missing.extend(wrong_key(key, self._environ))
        missing.extend(wrong_url(base_url, self._base_url(name)))
        if not is_model_name(model or self._model(name)):
            text = gettext_noop("The provider '%(name)s' needs the name of a model: set %(variable)s or LLM_MODEL.")
            missing.append(Sentence(text, name=name, variable=_variable(name, "MODEL")))
        return missing

    def _ignored_model(self) -> list[str]:
        """A sentence where the demo answers although a model is named."""
        entry = self._entries.get(self.default())
        if entry is None or entry.wire != "demo" or not self._value("LLM_MODEL"):
            return []
        text = gettext_noop("LLM_MODEL names a model, but the demo answers: set LLM_PROVIDER, and the key it needs.")
        return [Sentence(text)]

    def _only_embeds(self, name: str) -> bool:
        """Whether its address and key were given for vectors: nothing names a model of it that writes."""
        written = self._entries[name].model or self._value("LLM_MODEL") or self._value(_variable(name, "MODEL"))
        return not written and self._value("EMBEDDING_PROVIDER").lower() == name

    def _model(self, name: str) -> str:
        chosen = self._value("LLM_MODEL") if name == self.default() else ""
        entry = self._entries[name]
        if entry.wire == "demo":
            return entry.model
        return chosen or entry.model or self._value(_variable(name, "MODEL"))

    def _base_url(self, name: str) -> str:
        return self._value(_variable(name, "BASE_URL")) or self._entries[name].base_url

    def _price(self, name: str, model: str) -> Price | None:
        """What people entered, else the table's price, else what the environment says of a vendor's other models."""
        if entered := self._prices.get((name, model)):
            return entered
        entry = self._entry_for(name, model)
        if entry and entry.price:
            return replace(Price(*entry.price), source="table")
        variable = _variable(name, "PRICE")
        said = price_said(self._value(variable))
        return replace(said, source=f"variable:{variable}") if said else None

    def _strength(self, name: str, model: str) -> int:
        """The model's strength in the table, else what the environment says of a vendor with unnamed models."""
        entry = self._entry_for(name, model)
        if entry and entry.strength:
            return entry.strength
        said = self._value(_variable(name, "STRENGTH"))
        return int(said) if is_strength(said) else 0

    def _context_window(self, name: str, model: str) -> int:
        """The context window from the environment, else from the table; the vendor's smallest for an unknown model."""
        if given := self._value(_variable(name, "CONTEXT_WINDOW")):
            return int(given)
        entry = self._entry_for(name, model)
        return min(other.context_window for other in ([entry] if entry else self._of_vendor(name)))

    def _entry_for(self, name: str, model: str) -> Entry | None:
        """The entry for a model: the one of this name or another one of its vendor, None if neither is for it."""
        own = self._entries.get(name)
        return next((entry for entry in [own, *self._of_vendor(name)] if entry and entry.model == model), None)

    def _of_vendor(self, name: str) -> list[Entry]:
        return [entry for other, entry in self._entries.items() if _first_word(other) == _first_word(name)]

    def _value(self, variable: str) -> str:
        return self._environ.get(variable, "").strip()


def problems(table: Mapping[str, Mapping[str, Any]], environ: Mapping[str, str]) -> list[str]:
    """Everything that is wrong with a table and an environment, in sentences that say what to do."""
    try:
        return ConfiguredModels(table, environ).problems()
    except ModelUnavailableError as wrong:
        return [str(wrong)]


def addresses(table: Mapping[str, Mapping[str, Any]], environ: Mapping[str, str]) -> dict[str, str]:
    """The addresses that an environment gives for names of a table, by their variables."""
    variables = sorted({_variable(name, "BASE_URL") for name in table})
    return {variable: environ[variable].strip() for variable in variables if environ.get(variable, "").strip()}


#: The last table that was read, and its entries: each question asks for a model.
_read: tuple[Mapping[str, Mapping[str, Any]], dict[str, Entry]] = ({}, {})


def _entries_of(table: Mapping[str, Mapping[str, Any]]) -> dict[str, Entry]:
    """The entries of a table, validated once for as long as it says the same. Raises `ModelUnavailableError`."""
    global _read
    before, entries = _read
    if before != table or list(before) != list(table):
        entries = {name: _entry(name, fields) for name, fields in table.items()}
        _read = (deepcopy(dict(table)), entries)
    return entries


def _entry(name: str, fields: Mapping[str, Any]) -> Entry:
    try:
        return Entry.model_validate(dict(fields))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise ModelUnavailableError(f"CHAT_PROVIDERS[{name!r}]: {field}: {first['msg']}") from None


def _first_word(name: str) -> str:
    return name.partition("-")[0]


def _variable(name: str, suffix: str) -> str:
    return f"{_first_word(name).upper()}_{suffix}"
