"""The event log and its only writers: `append` inside a transaction, `GroupWriter` for what the engine streams."""
