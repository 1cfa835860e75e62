"""What the variables of a vendor say, and what is wrong with them, as sentences."""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from chat.providers.provider import Price
from chat.providers.sentences import Sentence, gettext_noop

MAX_WINDOW_DIGITS = 9
#: Tokens that a window has to leave for a prompt: instructions and tools alone take some thousand.
LEAST_PROMPT = 4_096
_MODEL_NAME = re.compile(r"[\w.:/@+-]{1,100}")
_AMOUNT = re.compile(r"[0-9]{1,6}(\.[0-9]{1,6})?")
_STRENGTH = re.compile(r"[0-9]{1,4}")


def is_model_name(text: str) -> bool:
    return _MODEL_NAME.fullmatch(text) is not None


def is_strength(text: str) -> bool:
    return _STRENGTH.fullmatch(text) is not None


def wrong_window(variable: str, environ: Mapping[str, str], max_tokens: int) -> list[str]:
    """A sentence where the window is no number of tokens, or leaves no room for a prompt beside an answer."""
    given = environ.get(variable, "").strip()
    if given and not (given.isascii() and given.isdigit() and len(given) <= MAX_WINDOW_DIGITS):
        return [
            Sentence(gettext_noop("%(variable)s must be a number of tokens, for example 32768."), variable=variable)
        ]
    if given and int(given) < max_tokens + LEAST_PROMPT:
        text = gettext_noop("%(variable)s must be %(least)s or more: of it an answer may take %(most)s.")
        return [Sentence(text, variable=variable, least=max_tokens + LEAST_PROMPT, most=max_tokens)]
    return []


def price_said(text: str) -> Price | None:
    """The price that a text says; None if it says none. Cached input costs what other input does, unless it is said."""
    parts = [part.strip().partition("=") for part in text.split(",")]
    said = {name.strip(): amount.strip() for name, _equals, amount in parts}
    if len(said) < len(parts) or not {"input", "output"} <= said.keys() <= {"input", "output", "cached"}:
        return None
    if not all(map(_AMOUNT.fullmatch, said.values())):
        return None
    return Price(float(said["input"]), float(said.get("cached", said["input"])), float(said["output"]))


def wrong_price(variable: str, environ: Mapping[str, str]) -> list[str]:
    """A sentence where the price is none."""
    given = environ.get(variable, "").strip()
    if given and price_said(given) is None:
        text = gettext_noop(
            "%(variable)s must be dollars per million tokens, for example input=0.5,output=1.5,cached=0.1."
        )
        return [Sentence(text, variable=variable)]
    return []


def wrong_strength(variable: str, environ: Mapping[str, str]) -> list[str]:
    """A sentence where the strength is no number."""
    given = environ.get(variable, "").strip()
    if not given or is_strength(given):
        return []
    return [Sentence(gettext_noop("%(variable)s must be a number from 0 to 9999."), variable=variable)]


def wrong_key(variable: str, environ: Mapping[str, str]) -> list[str]:
    """A sentence where no header of HTTP can carry the key."""
    given = environ.get(variable, "").strip()
    fits = given.isascii() and given.isprintable() and " " not in given
    text = gettext_noop("%(variable)s holds no key: it has blanks, line breaks or letters that no key has.")
    return [] if fits else [Sentence(text, variable=variable)]


def wrong_url(variable: str, url: str) -> list[str]:
    """A sentence where the address is none of an endpoint."""
    wrong = _wrong_in_url(url)
    return [Sentence(wrong, variable=variable)] if wrong else []


def _wrong_in_url(url: str) -> str:
    """What is wrong with it, as the template of a sentence; "" if nothing is."""
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname, parts.port
    except ValueError:
        return gettext_noop("%(variable)s is not a URL.")
    if not url.isprintable():
        return gettext_noop("%(variable)s is not a URL.")
    if parts.scheme not in {"http", "https"} or not host:
        return gettext_noop("%(variable)s must be the http or https address of an endpoint.")
    if parts.username or parts.password or parts.query:
        return gettext_noop(
            "%(variable)s must hold no user, password or query: the key goes into the API_KEY variable."
        )
    return ""
