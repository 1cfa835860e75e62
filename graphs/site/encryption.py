"""Which addresses that the site talks to lead to other machines without TLS, or to whoever answers there."""

import os
import re
from collections.abc import Iterator, Mapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import SplitResult, parse_qs, urlsplit

import dj_database_url
from django.conf import settings
from django.utils.translation import gettext as _

#: With these PostgreSQL may be spoken to in clear; with others but the last nobody looks who it is.
_CLEAR_MODES = frozenset({"disable", "allow", "prefer"})
_VERIFIED = "verify-full"
#: What each scheme without TLS is called with it.
_WITH_TLS = {
    "redis": "rediss",
    "amqp": "amqps",
    "pyamqp": "amqps",
    "librabbitmq": "amqps",
    "http": "https",
}
_HOST = re.compile(r"[\w.:%-]*")
#: Of Redis; without this parameter certificates are looked at.
_UNVERIFIED = frozenset({"none", "CERT_NONE", "optional", "CERT_OPTIONAL"})


def problems(addresses: Mapping[str, str]) -> list[str]:
    """A sentence for each address that leads elsewhere unprotected; `addresses` of vendors are by their variables."""
    return [*_of_databases(), *_of_others(addresses)]


def _of_databases() -> Iterator[str]:
    found: dict[str, Mapping[str, Any]] = {"DATABASE_URL": settings.DATABASES["default"]}
    if isinstance(settings.DATABASE_OWNER_URL, str) and settings.DATABASE_OWNER_URL:  # else it is embedded
        found["DATABASE_OWNER_URL"] = dj_database_url.parse(settings.DATABASE_OWNER_URL)
    for variable, database in found.items():
        options = database.get("OPTIONS", {})
        hosts = str(options.get("host") or database.get("HOST") or os.environ.get("PGHOST", ""))
        if all(_is_here(host) for host in hosts.split(",")):
            continue
        system = options.get("sslrootcert") == "system"
        mode = options.get("sslmode") or os.environ.get("PGSSLMODE") or (_VERIFIED if system else "prefer")
        if mode in _CLEAR_MODES:
            yield _in_clear(variable, "sslmode=verify-full")
        elif mode != _VERIFIED:
            yield _to_whoever(variable, "sslmode=verify-full")


def _of_others(vendors: Mapping[str, str]) -> Iterator[str]:
    ours = {
        "REDIS_URL": settings.REDIS_URL,
        "CELERY_BROKER_URL": settings.CELERY_BROKER_URL if settings.CELERY_BROKER_URL != settings.REDIS_URL else "",
        "OTEL_EXPORTER_OTLP_ENDPOINT": settings.OTEL_EXPORTER_OTLP_ENDPOINT,
    }
    for variable, addresses in {**ours, **vendors}.items():
        for parts in filter(None, map(_parts, addresses.split(";"))):
            if _is_here(parts.hostname or ""):
                continue
            if (encrypted := _WITH_TLS.get(parts.scheme)) is not None:
                yield _in_clear(variable, f"{encrypted}://")
            elif parts.scheme == "rediss" and _UNVERIFIED & {*parse_qs(parts.query).get("ssl_cert_reqs", [])}:
                yield _to_whoever(variable, "ssl_cert_reqs=required")


def _parts(address: str) -> SplitResult | None:
    """The parts of an address; None of what is none, which others complain of."""
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return None
    return parts if _HOST.fullmatch(parts.hostname or "") else None


def _is_here(host: str) -> bool:
    """Whether a host is this machine: a socket in a folder, or an address that leads back."""
    host = host.strip("[]")
    if not host or host.startswith(("/", "@")) or host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _in_clear(variable: str, instead: str) -> str:
    sentence = _(
        "%(variable)s leads to another machine without TLS: whoever is on the way can read what is sent there. Write "
        "%(instead)s (docs/operations.md, Encryption)."
    )
    return sentence % {"variable": variable, "instead": instead}


def _to_whoever(variable: str, instead: str) -> str:
    sentence = _(
        "%(variable)s leads to another machine, and nobody looks whose certificate answers there. Write %(instead)s "
        "(docs/operations.md, Encryption)."
    )
    return sentence % {"variable": variable, "instead": instead}
