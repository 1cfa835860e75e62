"""Ids of the streams that tell of changes. This app has no streams: whoever keeps them gives the ids."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from graphs.models import Object


@dataclass(slots=True)
class Streams:
    """`of` gives the ids of the objects' streams, which may be read from then on, by the objects' primary keys."""

    of: Callable[[Collection[Object]], Mapping[int, str]]


#: Its `of` is set when the program starts.
streams = Streams(lambda _objects: {})
