"""An address as somebody wrote it, taken apart: what is asked for, of which host. Nothing is looked up here."""

from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

import idna

from rag.fetching.addresses import Address, is_public, literal
from rag.fetching.refusals import FetchRefused

MOST_CHARS = 2_000
PORTS = {"http": 80, "https": 443}
#: Names that lead nowhere on the internet, or to this machine and its network.
SPECIAL_NAMES = frozenset(
    {"alt", "arpa", "example", "home", "internal", "intranet", "corp", "invalid", "lan", "local", "localdomain"}
    | {"localhost", "onion", "private", "test"}
)
#: What stays as it is in a path and a query.
SAFE = "/?:@!$&'()*+,;=-._~%[]"


@dataclass(frozen=True, slots=True)
class Target:
    """`host` is in ASCII and lower case, `asked` the path with the query; `address` that of a host that is one."""

    scheme: str
    host: str
    port: int
    asked: str
    address: Address | None = None

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.asked}"

    @property
    def place(self) -> tuple[str, str]:
        """What two addresses have in common that ask the same host for the same, encrypted or not."""
        return self.host, self.asked


def parse(url: str) -> Target:
    """The target of an address. Raises `FetchRefused` for one that is followed nowhere, whatever its name leads to."""
    if len(url) > MOST_CHARS:
        raise FetchRefused("address", f"An address may have {MOST_CHARS} characters.")
    if "\\" in url or any(char <= " " or char == "\x7f" for char in url):
        raise FetchRefused("address", "An address has no spaces, control characters and backslashes.")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise FetchRefused("address", "This is no address.") from None
    if parts.scheme not in PORTS or not parts.hostname:
        raise FetchRefused("address", "An address begins with https:// or http:// and the name of a host.")
    if "@" in parts.netloc:
        raise FetchRefused("address", "An address must not hold a user name or a password.")
    port = PORTS[parts.scheme] if port is None else port
    if port not in PORTS.values():
        raise FetchRefused("address", "Only the ports 80 and 443 are asked.")
    host = host_name(parts.hostname)
    asked = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme, host, port, _encoded(asked), literal(host))


def redirected(target: Target, location: str) -> Target:
    """Where an answer sends who asked for the target. Raises `FetchRefused`."""
    try:
        url = urljoin(target.url, location.strip())
    except ValueError:
        raise FetchRefused("address", "The page leads on to what is no address.") from None
    return parse(url)


def host_name(text: str) -> str:
    """The host as it is asked for: in ASCII and lower case. Raises `FetchRefused` for what is none on the internet."""
    try:
        host = (
            text.removesuffix(".").lower()
            if text.isascii()
            else idna.encode(text.removesuffix("."), uts46=True).decode()
        )
        address = literal(host)
    except (ValueError, UnicodeError):
        raise FetchRefused("address", "This is no name of a host, and no address as addresses are written.") from None
    if address is not None:
        if not is_public(address):
            raise not_public()
        return str(address)
    labels = host.split(".")
    if len(labels) < 2 or labels[-1] in SPECIAL_NAMES:
        raise not_public()
    if len(host) > 253 or not all(map(_is_label, labels)):
        raise FetchRefused("address", "This is no name of a host.")
    return host


def not_public() -> FetchRefused:
    return FetchRefused("not_public", "This address is not on the public internet.")


def _is_label(label: str) -> bool:
    plain = label.replace("-", "").replace("_", "")
    return 0 < len(label) <= 63 and plain.isascii() and plain.isalnum() and label[0] != "-" != label[-1]


def _encoded(asked: str) -> str:
    try:
        return quote(asked, safe=SAFE)
    except UnicodeError:
        raise FetchRefused("address", "An address must be text.") from None
