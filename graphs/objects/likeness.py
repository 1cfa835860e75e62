"""How alike two short texts are, in linear time (`SequenceMatcher.ratio` is cubic); which of many are most alike."""

from collections.abc import Iterable

#: What is less alike is not what was meant.
ALIKE = 0.6
#: Characters of all texts that are compared.
COMPARED_CHARS = 300_000


def places(text: str) -> dict[str, int]:
    """The places of each character, as the bits of a number."""
    found: dict[str, int] = {}
    for at, character in enumerate(text):
        found[character] = found.get(character, 0) | 1 << at
    return found


def in_common(text: str, wanted: dict[str, int], length: int) -> int:
    """The characters in one order that a text has in common with the one of this length and these places.

    After Hyyrö 2004.
    """
    every = rest = (1 << length) - 1
    for character in text:
        met = rest & wanted.get(character, 0)
        rest = (rest + met | rest - met) & every
    return length - rest.bit_count()


def most_alike(wanted: str, texts: Iterable[str], most: int = 3) -> list[str]:
    """At most so many of the texts, the most alike first.

    Those that begin in the same way are compared first; all have a bound together.
    """
    of_wanted, length, chars_left = places(wanted), len(wanted), COMPARED_CHARS
    near = (text for text in texts if min(len(text), length) >= ALIKE / 2 * (len(text) + length))
    found: list[tuple[float, str]] = []
    for text in sorted(near, key=lambda text: text[:3] != wanted[:3]):
        chars_left -= len(text)
        if chars_left < 0:
            break
        alike = 2 * in_common(text, of_wanted, length) / max(len(text) + length, 1)
        if alike >= ALIKE:
            found.append((alike, text))
    return [text for _alike, text in sorted(found, key=lambda each: -each[0])[:most]]
