"""What the index of a collection and model is called. Used by `rag.embeddings.vector_indexes`, which builds it, and by
searches.
"""

import hashlib

PREFIX = "rag_hnsw_"


def index_name(collection: str, model: str) -> str:
    return f"{PREFIX}{collection.replace(':', '_')}_{hashlib.blake2b(model.encode(), digest_size=5).hexdigest()}"
