"""Addresses that lead to this machine, to its network or to many at once, in every form that programs take them in."""

import socket
from collections.abc import Iterator
from ipaddress import IPv4Address

#: What no page is read of, with the addresses under which clouds tell their machines secrets.
INSIDE = [
    "127.0.0.1", "127.1.2.3", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1",
    "100.100.100.200", "168.63.129.16", "169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.255",
    "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.0.1", "192.168.255.255", "198.18.0.1", "198.51.100.7",
    "203.0.113.9", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
]  # fmt: skip
INSIDE_6 = [
    "::", "::1", "::2", "100::1", "fe80::1", "fe80::1%25eth0", "fe80::1%eth0", "febf::1", "fec0::1", "fc00::1",
    "fd00::1", "fd00:ec2::254", "fd20:ce::254", "ff02::1", "ff0e::1", "2001::1", "2001:2::1", "2001:10::1",
    "2001:20::1", "2001:db8::1", "3fff::1", "5f00::1", "2620:4f:8000::1", "4000::1", "8000::1", "0:0:0:0:0:0:0:1",
]  # fmt: skip
NAMES = [
    "localhost", "LOCALHOST", "localhost.", "a.localhost", "localhost.localdomain", "metadata.google.internal",
    "instance-data", "printer.local", "router.home.arpa", "1.0.0.127.in-addr.arpa", "wiki.intranet", "db.corp",
    "nas.lan", "box.home", "key.onion", "a.test", "a.example", "a.invalid", "gateway.private", "x.alt", "kubernetes",
    "kubernetes.default.svc.cluster.local", "ｌｏｃａｌｈｏｓｔ", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "loc\u00adalhost", "a。localhost",
]  # fmt: skip
_WIDE = str.maketrans("0123456789", "０１２３４５６７８９")
_CIRCLED = str.maketrans("0123456789", "⓪①②③④⑤⑥⑦⑧⑨")


def hosts_of(text: str) -> Iterator[str]:
    """The ways to write an IPv4 address as the host of an address."""
    number = int(IPv4Address(text))
    a, b, c, d = (int(part) for part in text.split("."))
    low, rest, tail = f"{number & 0xFFFF:x}", number & 0xFFFFFF, number & 0xFFFF
    yield from (text, f"{text}.", str(number), hex(number), hex(number).upper(), f"0{number:o}", f"0x0000{number:x}")
    yield from (f"{a}.{rest}", f"{a}.{b}.{tail}", f"{a}.{b}.{c}.{d:#x}", f"{a:#x}.{b:#x}.{c:#x}.{d:#x}")
    yield from (f"0{a:o}.0{b:o}.0{c:o}.0{d:o}", f"000{a:o}.{b}.{c}.{d}", f"{a:#x}.{b}.0{tail:o}", f"{a}.0x{rest:x}")
    yield from (f"{a:03}.{b:03}.{c:03}.{d:03}", text.replace(".", "%2e"), "".join(f"%{ord(each):x}" for each in text))
    yield from (text.translate(_WIDE), text.translate(_CIRCLED), text.replace(".", "。"), text.replace(".", "．"))
    yield from (text.replace(".", "｡"), f"{a}\u200b.{b}.{c}.{d}", f"{text}\u00ad", f"{a + 256}.{b}.{c}.{d}")
    yield from (f"[::ffff:{text}]", f"[::ffff:{number >> 16:x}:{low}]", f"[0:0:0:0:0:ffff:{text}]", f"[::{text}]")
    yield from (f"[::FFFF:{text}]", f"[0000:0000:0000:0000:0000:ffff:{number >> 16:04x}:{low}]", f"[::ffff:0:{text}]")
    yield from (f"[64:ff9b::{text}]", f"[64:ff9b:1::{text}]", f"[64:ff9b::{number >> 16:x}:{low}]")
    yield from (
        f"[2002:{number >> 16:x}:{low}::1]",
        f"[2001:0:0808:0808:0:0:{~number >> 16 & 0xFFFF:x}:{~number & 0xFFFF:x}]",
    )
    yield from (f"[2606:4700::5efe:{text}]", f"[2606:4700:0:0:200:5efe:{number >> 16:x}:{low}]", f"[{text}]")
    yield from (f"{text}.nip.io", f"{text.replace('.', '-')}.sslip.io", f"name-of-{text.replace('.', '-')}.org")


def urls() -> Iterator[str]:
    for text in INSIDE:
        for host in hosts_of(text):
            yield f"http://{host}/"
        yield from (
            f"https://{text}/",
            f"http://{text}:443/",
            f"http://{text}:8000/",
            f"http://{text}:22/",
            f"//{text}/",
        )
        yield from (f"http://example.org@{text}/", f"http://example.org:80@{text}/", f"http://{text}#@example.org/")
        yield from (f"http://example.org\\@{text}/", f"http://{text}\\.example.org/", f"http://{text}?.example.org")
        yield from (f"http:{text}", f"http:/{text}/", f"http:///{text}/", f"http://\t{text}/", f"ht\ntp://{text}/")
        yield from (f"ftp://{text}/", f"gopher://{text}:80/_GET", f"file://{text}/etc/passwd", f"dict://{text}:80/")
    for text in INSIDE_6:
        yield from (f"http://[{text}]/", f"https://[{text}]:443/", f"http://{text}/", f"http://[{text.upper()}]/")
    for name in NAMES:
        yield from (f"http://{name}/", f"https://{name}:443/", f"http://example.org@{name}/", f"http://{name}:80/x?y=z")
    yield from ("", " ", "http://", "https:///", "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd")
    yield from ("http://[::1", "http://]/", "http://[]/", "http://a..org/", "http://-a.org/", "http://a.org:99999/")
    yield from (
        "http://a.org:x/",
        "http://exa mple.org/",
        "http://a.org/\r\nHost: b",
        f"http://{'a' * 64}.org/",
        "http://*.org/",
    )
    yield from (f"http://{'a.' * 130}org/", "http://%00.org/", "http://a.org:0/", "http://xn--/", "http://\ud800.org/")


def resolved(host: str) -> list[str]:
    """What a resolver says of a host that an attacker named, or that C libraries take for an address."""
    for text in INSIDE:
        if text in host or text.replace(".", "-") in host:
            return [text]
    return [socket.inet_ntoa(socket.inet_aton(host))]
