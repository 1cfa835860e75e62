"""Keeps the signs of large collections' vectors in this process, so that a question need not walk through an index.

What is not kept yet is loaded by a thread of its own; the index serves meanwhile. What was stored since is compared
whole by the search (`rag/embeddings/vector_search.py`), which also says when too much of this is no longer true.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import connection

from rag.embeddings.storing import ADVISORY_LOCK

if TYPE_CHECKING:
    # Loaded with the first large collection, not with every process.
    from rag.embeddings.signs import Signs

#: Of all collections together, in each process: three million vectors of the local model. The one that was asked
#: longest ago goes first; one that takes more by itself is left to its index.
MOST_BYTES = 128 * 2**20
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
#: Asked longest ago first; None for those that take too much.
_kept: OrderedDict[CollectionOfModel, Kept | None] = OrderedDict()
_loading: set[CollectionOfModel] = set()


def kept(of: CollectionOfModel) -> Kept | None:
    """What is kept of it now."""
    with _lock:
        if of in _kept:
            _kept.move_to_end(of)
        return _kept.get(of)


def forget_all() -> None:
    """Keeps nothing."""
    with _lock:
        _kept.clear()


def load_soon(of: CollectionOfModel, *, anew: bool = False) -> None:
    """Has a thread load what is not kept yet, once for all who ask meanwhile; with `anew` everything."""
    with _lock:
        is_too_large = of in _kept and _kept[of] is None
        if of in _loading or is_too_large or of.dimensions < LEAST_DIMENSIONS:
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
        if (len(before.signs.rows) if before else 0) + rows > MOST_BYTES // (of.dimensions // 8 + _BYTES_A_ROW):
            _keep(of, None)
            return
        cursor.execute(_READ, values)
        groups: Iterable[tuple[str, bytes]] = cursor.fetchall()
    # Here, since it loads numpy.
    from rag.embeddings.signs import Signs

    signs = Signs.read(of.dimensions, groups)
    _keep(of, Kept(before.signs + signs if before else signs, until))


def _keep(of: CollectionOfModel, new: Kept | None) -> None:
    with _lock:
        _kept[of] = new
        _kept.move_to_end(of)
        while sum(each.signs.nbytes for each in _kept.values() if each) > MOST_BYTES:
            _kept.popitem(last=False)


def _load_and_close(of: CollectionOfModel, anew: bool) -> None:
    try:
        load(of, anew=anew)
    except Exception as error:  # Any: whatever fails, the index serves, and the next question has it tried again.
        log.info("the signs of %s could not be loaded: %s", of.collection, type(error).__name__)
    finally:
        connection.close()
        with _lock:
            _loading.discard(of)
