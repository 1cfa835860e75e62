"""Nothing leads to this machine or its network: neither how an address is written, nor what a name turns out to be."""

from ipaddress import ip_address

import httpcore2
import pytest

from rag.fetching.addresses import is_public
from rag.fetching.connecting import Network
from rag.fetching.fetching import fetch
from rag.fetching.refusals import FetchRefused
from rag.fetching.rules import Rules
from tests.rag.fetching import forms

#: Whoever connects anywhere has stepped on a canary.
canaries: list[tuple[str, int]] = []


def step_on(address: str, port: int, timeout: float) -> httpcore2.NetworkStream:
    canaries.append((address, port))
    raise httpcore2.ConnectError


TRAPPED = Network(forms.resolved, step_on)


def test_none_of_1500_forms_of_what_is_inside_is_connected_to() -> None:
    canaries.clear()
    tried = set(forms.urls())
    for url in tried:
        with pytest.raises(FetchRefused):
            fetch(url, Rules(), TRAPPED)
    assert len(tried) >= 1_500
    assert canaries == []


def test_it_would_be_seen_if_one_was() -> None:
    canaries.clear()
    public = Network(lambda host: ["93.184.215.14", "2606:4700::1"], step_on)
    for url in ("http://example.org/", "https://8.8.8.8/", "http://[2606:4700::1111]:443/", "https://bücher.de/"):
        with pytest.raises(FetchRefused, match="reached"):
            fetch(url, Rules(), public)
    assert {port for _address, port in canaries} == {80, 443}
    assert len(canaries) == 8


@pytest.mark.parametrize(
    "inside", [*forms.INSIDE, "::1", "fe80::1%1", "fd00:ec2::254", "::ffff:8.8.8.8", "2002:808:808::1"]
)
def test_a_name_of_which_one_address_is_inside_leads_nowhere(inside: str) -> None:
    canaries.clear()
    for found in ([inside], ["93.184.215.14", inside]):
        with pytest.raises(FetchRefused) as refused:
            fetch("https://example.org/", Rules(), Network(lambda host, found=found: found, step_on))
        assert refused.value.code == "not_public"
    assert canaries == []


@pytest.mark.parametrize(
    "text", ["8.8.8.8", "1.1.1.1", "93.184.215.14", "172.32.0.1", "2606:4700::1111", "2a00:1450::1"]
)
def test_others_are_public(text: str) -> None:
    assert is_public(ip_address(text))
