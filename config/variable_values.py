"""What the values of variables may be, as types of `config.environment`; each says what to write instead.

No sentence quotes a value: it may hold a password.
"""

import ipaddress
import re
from collections.abc import Callable
from importlib.util import find_spec
from typing import Annotated
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

SHORTEST_TOKEN = 16
SHORTEST_KEY = 32
POSTGRES = ("postgresql", "postgres", "pgsql", "postgis")
REDIS = ("redis", "rediss", "unix")
#: Those of Kombu's transports that a site of several processes can use.
BROKERS = (
    *("redis", "rediss", "redis+socket", "sentinel", "amqp", "amqps", "pyamqp", "librabbitmq"),
    *("sqs", "azureservicebus", "gcpubsub", "kafka", "confluentkafka"),
)
_RATE = re.compile(r"[1-9]\d{0,5}/(s|min|hour)")
_PREFIX = re.compile(r"[\w.:-]{1,50}")
_HOST = re.compile(r"\*|\.?[\w.-]+|\[[0-9A-Fa-f:.]+\]")
_HOST_NAME = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*")
_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)+")


def csv(text: str) -> list[str]:
    """ "a, b" -> ["a", "b"]; nothing for an empty text."""
    return [part.strip() for part in text.split(",") if part.strip()]


def _accepts(accepts: Callable[[str], bool], advice: str) -> AfterValidator:
    """A validator of texts; an empty one stands for none and is not looked at."""

    def check(value: str) -> str:
        if value and not accepts(value):
            raise PydanticCustomError("value", advice)
        return value

    return AfterValidator(check)


def _parts(value: str) -> SplitResult | None:
    """The parts of an address; None where a library would fail to take it apart and quote its password."""
    try:
        parts = urlsplit(value)
        _ = parts.port
    except ValueError:
        return None
    return parts


def _is_database(value: str) -> bool:
    parts = _parts(value)
    return parts is not None and parts.scheme in POSTGRES and len(parts.path) > 1


def _is_redis(value: str) -> bool:
    parts = _parts(value)
    if parts is None or parts.scheme not in REDIS:
        return False
    return len(parts.path) > 1 if parts.scheme == "unix" else re.fullmatch(r"(/\d*)?", parts.path) is not None


def _is_broker(value: str) -> bool:
    parts = _parts(value.partition(";")[0])
    return parts is not None and parts.scheme in BROKERS


def _is_page_address(value: str) -> bool:
    parts = _parts(value)
    return parts is not None and parts.scheme in ("http", "https") and bool(parts.hostname)


def _is_origin(value: str) -> bool:
    return _is_page_address(value) and not (_parts(value) or SplitResult("", "", "/", "", "")).path


def _is_in_a_module(value: str) -> bool:
    """Whether what comes before the last dot is a module; it is not loaded, but the packages that it is in are."""
    try:
        return find_spec(value.rpartition(".")[0]) is not None
    except ImportError:
        return False


def _is_network(value: str) -> bool:
    try:
        ipaddress.ip_network(value)
    except ValueError:
        return False
    return True


_QUOTED = "signs such as / # ? [ in its password are written as %2F %23 %3F %5B"

DatabaseURL = Annotated[
    str,
    _accepts(
        _is_database, f"is no address of a PostgreSQL; write postgresql://user:password@host:5432/name ({_QUOTED})"
    ),
]
RedisURL = Annotated[
    str,
    _accepts(
        _is_redis,
        "is no address of a Valkey or Redis; write redis://:password@host:6379/0, rediss:// with TLS, or "
        f"unix:///path/of/the/socket ({_QUOTED})",
    ),
]
BrokerURL = Annotated[
    str, _accepts(_is_broker, f"is no address of a broker; write it as one of {', '.join(BROKERS)}:// ({_QUOTED})")
]
#: What a header of a request can hold.
ApiKey = Annotated[
    str,
    _accepts(
        lambda value: re.fullmatch("[!-~]*", value) is not None,
        "has a space, a line or a letter in it that no key has; copy it anew",
    ),
]
PageAddress = Annotated[str, _accepts(_is_page_address, "is no address; write http://host:port or https://host")]
#: "count/period", as `graphs.site.api.limits` reads it.
Rate = Annotated[
    str,
    _accepts(
        lambda value: _RATE.fullmatch(value) is not None,
        "is no limit; write count/s, count/min or count/hour, such as 10/min, with a count from 1 to 999999",
    ),
]
Prefix = Annotated[
    str,
    _accepts(lambda value: _PREFIX.fullmatch(value) is not None, "may have letters, digits and . : _ -, 50 at most"),
]
Hosts = Annotated[
    str,
    _accepts(
        lambda value: all(_HOST.fullmatch(host) for host in csv(value)),
        "names hosts without scheme, port and path, with commas between them, such as example.org,.example.org,[::1]",
    ),
]
#: Each stands for its subdomains, too.
HostNames = Annotated[
    str,
    _accepts(
        lambda value: all(_HOST_NAME.fullmatch(host) for host in csv(value)),
        "names hosts without scheme, port, path and *, with commas between them, such as example.org,docs.example.com",
    ),
]
Origins = Annotated[
    str,
    _accepts(
        lambda value: all(map(_is_origin, csv(value))),
        "names origins with their scheme and without a path, with commas between them, such as https://example.org",
    ),
]
Networks = Annotated[
    str,
    _accepts(
        lambda value: all(map(_is_network, csv(value))),
        "names addresses or networks, with commas between them, such as 127.0.0.1,10.0.0.0/8",
    ),
]
#: A function of a module that is there. Whether the module has it, who serves looks when all is loaded.
FunctionPath = Annotated[
    str,
    _accepts(lambda value: _DOTTED.fullmatch(value) is not None, "is no dotted path, such as package.module.name"),
    _accepts(_is_in_a_module, "is in no module that can be imported here; write package.module.name of a function"),
]
Token = Annotated[
    str, _accepts(lambda value: len(value) >= SHORTEST_TOKEN, f"needs at least {SHORTEST_TOKEN} characters")
]
Key = Annotated[str, _accepts(lambda value: len(value) >= SHORTEST_KEY, f"needs at least {SHORTEST_KEY} characters")]
Keys = Annotated[
    str,
    _accepts(
        lambda value: all(len(key) >= SHORTEST_KEY for key in csv(value)),
        f"names keys of at least {SHORTEST_KEY} characters, with commas between them",
    ),
]
