"""Keeps the signs of large collections' vectors in this process, so that a question need not walk through an index.

What is not kept yet is loaded by a thread of its own; the index serves meanwhile. What was stored since is compared
whole by the search (`rag/embeddings/vector_search.py`), which also says when too much of this is no longer true.
"""

import logging
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import connection

from rag.embeddings.storing import ADVISORY_LOCK

if TYPE_CHECKING:
    # Loaded with the first large collection, not with every process.
    from rag.embeddings.signs import Signs

#: Of all collections together, in each process: three million vectors of the local model.
MOST_BYTES = 128 * 2**20
#: What nobody has asked about for so long makes room for others. What finds none is left to its index for so long:
#: collections that push each other out would be read with every question.
RESTS_S = 600.0
#: The signs of shorter vectors say too little.
LEAST_DIMENSIONS = 128
#: Rows that were stored since, here or elsewhere, before the signs of ours among them are loaded too.
NEWER = 2_000
#: Of the likely rows more than this part must be there still, or all are loaded anew.
TRUE_ENOUGH = 0.8
#: Vectors that PostgreSQL sends as one value.
_A_GROUP = 50_000
#: Id and kind of each vector, beside its signs.
_BYTES_A_ROW = 9

#: Who is storing vectors of the collection ends first: what has a number up to this one can then be seen.
_SETTLED = "SELECT last_value FROM rag_embedding_id_seq, pg_advisory_xact_lock_shared(%s, hashtext(%s::text))"
_OF_COLLECTION = """
FROM rag_embedding WHERE collection = %(collection)s AND model = %(model)s AND dimensions = %(dimensions)s
    AND id > %(since)s AND id <= %(until)s"""
_COUNT = f"SELECT count(*) {_OF_COLLECTION}"
_READ = f"""
SELECT target_type, string_agg(int8send(id) || bit_send(binary_quantize(vector)), ''::bytea) {_OF_COLLECTION}
GROUP BY target_type, id / {_A_GROUP}"""

log = logging.getLogger("countersign.embeddings")


@dataclass(frozen=True, slots=True)
class CollectionOfModel:
    """What the signs of are kept together."""

    collection: str
    model: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class Kept:
    """All vectors of a collection with a row up to `until`, without those that were deleted before it was loaded."""

    signs: "Signs"
    until: int


_lock = threading.Lock()
_kept: dict[CollectionOfModel, Kept] = {}
#: When somebody asked about what is kept, and until when what found no room is left to its index.
_asked: dict[CollectionOfModel, float] = {}
_left: dict[CollectionOfModel, float] = {}
_loading: set[CollectionOfModel] = set()


def kept(of: CollectionOfModel) -> Kept | None:
    """What is kept of it now."""
    with _lock:
        if of in _kept:
            _asked[of] = time.monotonic()
        return _kept.get(of)


def forget_all() -> None:
    """Keeps nothing."""
    with _lock:
        for known in (_kept, _asked, _left):
            known.clear()


def load_soon(of: CollectionOfModel, *, anew: bool = False) -> None:
    """Has a thread load what is not kept yet, once for all who ask meanwhile; with `anew` everything."""
    with _lock:
        is_left = time.monotonic() < _left.get(of, 0)
        if of in _loading or is_left or of.dimensions < LEAST_DIMENSIONS:
            return
        _loading.add(of)
    threading.Thread(target=_load_and_close, args=(of, anew), name="signs of vectors", daemon=True).start()


def load(of: CollectionOfModel, *, anew: bool = False) -> None:
    """Loads what is not kept yet; with `anew` everything."""
    before = None if anew else kept(of)
    since = before.until if before else 0
    with connection.cursor() as cursor:
        cursor.execute(_SETTLED, [ADVISORY_LOCK, of.collection])
        (until,) = cursor.fetchone()
        values = {
            "collection": of.collection,
            "model": of.model,
            "dimensions": of.dimensions,
            "since": since,
            "until": until,
        }
        cursor.execute(_COUNT, values)
        (rows,) = cursor.fetchone()
        width = -(-of.dimensions // 64) * 8 + _BYTES_A_ROW
        if not _has_room(of, (rows + len(before.signs.rows) if before else rows) * width):
            return
        cursor.execute(_READ, values)
        groups: Iterable[tuple[str, bytes]] = cursor.fetchall()
    # Here, since it loads numpy.
    from rag.embeddings.signs import Signs

    signs = Signs.read(of.dimensions, groups)
    with _lock:
        _kept[of] = Kept(before.signs + signs if before else signs, until)
        _asked[of] = time.monotonic()


def _has_room(of: CollectionOfModel, wanted: int) -> bool:
    """Whether so many bytes may be kept, perhaps in the place of what nobody has asked about lately."""
    with _lock:
        now = time.monotonic()
        others = {other: known.signs.nbytes for other, known in _kept.items() if other != of}
        for other in sorted(others, key=_asked.__getitem__):
            if sum(others.values()) + wanted > MOST_BYTES and _asked[other] <= now - RESTS_S:
                del others[other], _kept[other]
        has_room = sum(others.values()) + wanted <= MOST_BYTES
        if not has_room:
            _kept.pop(of, None)
            _left[of] = now + RESTS_S
    return has_room


def _load_and_close(of: CollectionOfModel, anew: bool) -> None:
    try:
        load(of, anew=anew)
    except Exception as error:  # Any: whatever fails, the index serves, and the next question has it tried again.
        log.info("the signs of %s could not be loaded: %s", of.collection, type(error).__name__)
    finally:
        connection.close()
        with _lock:
            _loading.discard(of)
