"""What caused a change, as links between pages of the audit. Members get `graphs.history.causes`."""

from collections.abc import Callable, Iterable, Mapping

from django.utils.safestring import SafeString

#: Noun of a cause, such as "proposal" -> what makes a link of it, from the ids of all causes by noun.
_LINKS: dict[str, Callable[[Mapping[str, str]], SafeString]] = {}

#: Noun of a cause -> what the page of a change says of the cause with this id, or "".
_NOTES: dict[str, Callable[[str], str]] = {}


def register(noun: str, link: Callable[[Mapping[str, str]], SafeString]) -> None:
    """Shows causes of this noun as this link from now on."""
    _LINKS[noun] = link


def register_note(noun: str, note: Callable[[str], str]) -> None:
    """Says this of causes of this noun from now on, on the page of a change."""
    _NOTES[noun] = note


def notes(causes: Iterable[str]) -> list[str]:
    """What is said of these causes, in order."""
    parted = (cause.partition(":") for cause in causes)
    found = (_NOTES[noun](id_) for noun, _colon, id_ in parted if noun in _NOTES)
    return [note for note in found if note]


def links(causes: Iterable[str]) -> list[SafeString]:
    """A link for each cause that somebody can explain, in order."""
    parted = (cause.partition(":") for cause in causes)
    ids = {noun: id_ for noun, _colon, id_ in parted if id_}
    found = (_LINKS[noun](ids) for noun in ids if noun in _LINKS)
    return [link for link in found if link]
