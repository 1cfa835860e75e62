"""Search engines of the web: the one that the operator names (docs/fetching.md)."""
