"""What the index of a graph and model is called. Used by `rag.embeddings.vector_indexes`, which builds it, and by
searches.
"""

import hashlib

PREFIX = "rag_hnsw_"


def index_name(graph_id: int, model: str) -> str:
    return f"{PREFIX}{graph_id}_{hashlib.blake2b(model.encode(), digest_size=5).hexdigest()}"
