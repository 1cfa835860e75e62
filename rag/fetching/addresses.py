"""Which network addresses are connected to: those that everybody on the internet reaches, in their own form only.

The lists are those of the IANA registries of special-purpose addresses, and not what `ipaddress` calls global: that
differs from one Python to the next.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address

#: Private, shared, of this machine, of documentation, of measurements, of many at once, and kept for later.
_NOT_PUBLIC_4 = [
    IPv4Network(network)
    for network in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
        "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        # Public by the registries, but in Azure it answers each machine with what only that machine may know.
        "168.63.129.16/32",
    )
]  # fmt: skip
#: All of IPv6 that is given out. What maps IPv4 (::ffff:0:0/96), translates it (64:ff9b::/96), is local or of many at
#: once lies outside.
_GIVEN_OUT = IPv6Network("2000::/3")
#: Protocols of the IETF with Teredo, documentation, 6to4, and a sink of questions about private names.
_NOT_PUBLIC_6 = [
    IPv6Network(network) for network in ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
]
#: What stands before an IPv4 address in the second half of an address of ISATAP.
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)


def is_public(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC_4)
    if address.scope_id is not None or address not in _GIVEN_OUT:
        return False
    return (int(address) >> 32) & 0xFFFF_FFFF not in _ISATAP and not any(address in each for each in _NOT_PUBLIC_6)


def literal(host: str) -> Address | None:
    """The address that a host is, written as addresses are; None for a name. Raises `ValueError` for other forms."""
    try:
        return ip_address(host)
    except ValueError:
        if ":" in host or _ends_in_a_number(host):
            raise
        return None


def _ends_in_a_number(host: str) -> bool:
    """Whether programs may take it for an IPv4 address: 2130706433, 0x7f.1, 0177.0.0.1."""
    last = host.rpartition(".")[2]
    return last.isdigit() or last[:2] in ("0x", "0X")
