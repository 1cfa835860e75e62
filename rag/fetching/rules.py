"""Which hosts may be asked: the lists of the site, and those of a workspace."""

from collections.abc import Collection
from dataclasses import dataclass

from django.conf import settings

from rag.fetching.refusals import FetchRefused
from rag.models import FetchRule


@dataclass(frozen=True, slots=True)
class Lists:
    """Hosts with their subdomains; without any that are allowed, all are that are not denied."""

    allowed: Collection[str] = ()
    denied: Collection[str] = ()

    def let_pass(self, host: str) -> bool:
        return not _among(host, self.denied) and (not self.allowed or _among(host, self.allowed))


@dataclass(frozen=True, slots=True)
class Rules:
    """The lists that a host has to pass, every one."""

    lists: tuple[Lists, ...] = ()

    def check(self, host: str) -> None:
        """Raises `FetchRefused` for a host that one of the lists keeps from being asked."""
        if not all(each.let_pass(host) for each in self.lists):
            raise FetchRefused("not_allowed", "The administrators do not let this host be asked.")


def rules_of(workspace_id: int) -> Rules:
    """Those of the site and of a workspace."""
    rows = FetchRule.objects.filter(workspace=workspace_id).values_list("host", "allows")
    own = Lists([host for host, allows in rows if allows], [host for host, allows in rows if not allows])
    return Rules((Lists(settings.FETCH_ALLOW, settings.FETCH_DENY), own))


def _among(host: str, listed: Collection[str]) -> bool:
    return any(host == each or host.endswith(f".{each}") for each in listed)
