"""The one HTTP client that follows an address from a person, a model or a document (docs/fetching.md)."""
