"""The web process: Daphne, HTTP that waits, server-sent events."""
