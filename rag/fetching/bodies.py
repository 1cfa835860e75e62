"""The body of an answer: unpacked and decoded, within limits that hold for what comes out."""

import codecs
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping

from rag.fetching.refusals import FetchRefused

MOST_BYTES = 3_000_000
#: Each part costs time, however small: a body in single bytes would keep this process busy.
MOST_PARTS = 20_000
HTML = frozenset({"text/html", "application/xhtml+xml"})
PLAIN = frozenset({"text/plain", "text/markdown", "text/csv", "text/xml", "application/json", "application/xml"})
#: The ways of packing that are asked for.
ACCEPTED = "gzip, deflate"
#: How packed bodies begin to be read: gzip by its header, deflate as the standard means it.
_WINDOWS = {"gzip": 31, "x-gzip": 31, "deflate": 15}
#: Encodings of pages, as Python calls them; others cannot be trusted with a large text.
_ENCODINGS = frozenset(
    {"utf-8", "utf-16", "utf-16-le", "utf-16-be", "ascii", "koi8-r", "koi8-u", "mac-roman", "tis-620"}
    | {f"iso8859-{number}" for number in range(1, 17)}
    | {f"cp{number}" for number in (866, 874, 932, 949, 950, *range(1250, 1259))}
    | {"shift_jis", "euc_jp", "iso2022_jp", "gb2312", "gbk", "gb18030", "big5", "big5hkscs", "euc_kr"}
)
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_META = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE)
_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE)
#: Of so many characters one may be none before the body counts as no text.
_READABLE = 20


def content_type(headers: Mapping[str, str]) -> str:
    """What the answer says that its body is. Raises `FetchRefused` for what is not read."""
    name = headers.get("content-type", "").partition(";")[0].strip().lower()
    if name not in HTML | PLAIN:
        raise FetchRefused("content_type", "The address leads to no page of text.")
    return name


def read(parts: Iterable[bytes], headers: Mapping[str, str]) -> bytes:
    """The body as it was before it was packed. Raises `FetchRefused`."""
    length = headers.get("content-length", "")
    if length.isdigit() and (len(length) > len(str(MOST_BYTES)) or int(length) > MOST_BYTES):
        raise _too_big()
    packing = headers.get("content-encoding", "").strip().lower()
    if packing not in ("", "identity", *_WINDOWS):
        raise FetchRefused("content_type", "The page is packed in a way that is not read.")
    body, parts = bytearray(), _counted(parts)
    for part in _unpacked(parts, _WINDOWS[packing]) if packing in _WINDOWS else parts:
        body += part
        if len(body) > MOST_BYTES:
            raise _too_big()
    return bytes(body)


def _counted(parts: Iterable[bytes]) -> Iterator[bytes]:
    for number, part in enumerate(parts):
        if number >= MOST_PARTS:
            raise _broken()
        yield part


def _unpacked(parts: Iterable[bytes], window: int) -> Iterator[bytes]:
    """The unpacked parts, none of which is longer than a whole body may be."""
    unpacking = zlib.decompressobj(window)
    packed = 0
    try:
        for part in parts:
            packed += len(part)
            if packed > MOST_BYTES:
                raise _too_big()
            while part and not unpacking.eof:
                yield unpacking.decompress(part, MOST_BYTES)
                part = unpacking.unconsumed_tail
    except zlib.error:
        raise _broken() from None
    if not unpacking.eof:
        raise _broken()


def decoded(body: bytes, headers: Mapping[str, str]) -> str:
    """The body as text. Raises `FetchRefused` if it is none, whatever the answer says."""
    encoding = next((name for mark, name in _MARKS if body.startswith(mark)), "")
    if not encoding:
        named = _CHARSET.search(headers.get("content-type", ""))
        within = _META.search(body[:2_048])
        encoding = _known(named[1] if named else within[1].decode() if within else "utf-8")
    text = body.decode(encoding, "replace").removeprefix("\ufeff")
    if "\0" in text or text.count("\ufffd") * _READABLE > len(text):
        raise FetchRefused("content_type", "The address leads to no page of text.")
    return text


def _known(name: str) -> str:
    try:
        found = codecs.lookup(name).name
    except LookupError:
        return "utf-8"
    return found if found in _ENCODINGS else "utf-8"


def _too_big() -> FetchRefused:
    return FetchRefused("too_big", f"The page has more than {MOST_BYTES // 1_000_000} MB.")


def _broken() -> FetchRefused:
    return FetchRefused("broken", "The page broke off, or is not packed as it says.")
