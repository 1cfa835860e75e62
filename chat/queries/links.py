"""The titles and links that mentions of objects in answers become: `{{type:key}}`, checked for who reads them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from graphs.objects.headers import rows_named, title_of, url_of
from graphs.objects.kinds import KINDS, is_object
from graphs.objects.refs import Ref
from graphs.site.access import Member

MENTION = re.compile(r"\{\{([A-Za-z]\w{0,29}):([^{}\n]{1,100})\}\}", re.ASCII)
#: Objects that are looked up for one question.
MOST_LINKS = 500
#: An address of this site, or of another one: no scripts, and no host in disguise. Rows may hold any text.
_ADDRESS = re.compile(r"(?:/(?![/\\])|https?://)[^\s\\]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Link:
    title: str
    url: str


def mentioned(texts: Iterable[str]) -> list[Ref]:
    """What the texts mention, each once, in their order."""
    found = (Ref(*each.groups()) for text in texts for each in MENTION.finditer(text))
    return list(dict.fromkeys(ref for ref in found if is_object(ref.type)))


def shown_as(member: Member, refs: Iterable[Ref]) -> dict[Ref, Link]:
    """Titles and addresses of objects that the member may see, "" for no address; asked for once for each kind."""
    keys: dict[str, list[str]] = {}
    for ref in list(refs)[:MOST_LINKS]:
        if is_object(ref.type):
            keys.setdefault(ref.type, []).append(ref.key)
    found = {}
    for name, some in keys.items():
        kind = KINDS[name]
        for key, row in rows_named(member, kind, some).items():
            url = url_of(kind, row)
            found[Ref(name, key)] = Link(title_of(kind, row), url if _ADDRESS.fullmatch(url) else "")
    return found
