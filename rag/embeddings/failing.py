"""What a model refused, and when it is asked again."""

from datetime import timedelta
from typing import Any

from django.db import connection

from graphs.site.vendor_errors import ErrorCode
from rag.embeddings.collections import Collection
from rag.embeddings.storing import TargetVersion

#: After the first attempt, and at most between two; each pause is twice the one before.
FIRST_PAUSE = timedelta(minutes=1)
LONGEST_PAUSE = timedelta(days=1)


def pause(attempts: int) -> timedelta:
    """How long to wait after so many failed attempts."""
    return min(FIRST_PAUSE * 2 ** min(attempts - 1, 20), LONGEST_PAUSE)


_NOTE = """
WITH outdated AS (
    DELETE FROM rag_embedding
    WHERE target_type = %(type)s AND target_id = %(target)s AND part = 0 AND model = %(model)s
        AND (content_hash, dimensions) <> (%(hash)s, %(dimensions)s)
)
INSERT INTO rag_embeddingfailure AS had
    (target_type, target_id, collection, part, model, content_hash, code, attempts, failed_at, retry_at)
SELECT %(type)s, id, %(collection)s, 0, %(model)s, %(hash)s, %(code)s, 1, now(), now() + %(pause)s
FROM {table} WHERE id = %(target)s AND NOT EXISTS (
    SELECT FROM rag_embedding
    WHERE target_type = %(type)s AND target_id = %(target)s AND part = 0 AND model = %(model)s
        AND (content_hash, dimensions) = (%(hash)s, %(dimensions)s)
) FOR KEY SHARE
ON CONFLICT (target_type, target_id, part, model) DO UPDATE SET
    content_hash = excluded.content_hash, code = excluded.code, attempts = had.attempts + 1, failed_at = now(),
    retry_at = now() + least(%(pause)s * 2 ^ least(had.attempts, 20), %(longest)s)
"""


def record_failure(collection: Collection, target: TargetVersion, model: str, dimensions: int, code: ErrorCode) -> None:
    """Records one more failed attempt and deletes an outdated vector; nothing if the target is gone or embedded."""
    values: dict[str, Any] = {
        "collection": collection.name,
        "type": target.type,
        "target": target.id,
        "hash": target.content_hash,
        "model": model,
        "dimensions": dimensions,
        "code": code,
        "pause": FIRST_PAUSE,
        "longest": LONGEST_PAUSE,
    }
    with connection.cursor() as cursor:
        cursor.execute(_NOTE.format(table=collection.table), values)
