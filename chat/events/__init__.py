"""The event log and its only writers: `append` inside a transaction, `GroupWriter` for what the engine streams.

Live view, second tab, reconnect and replay are one read: the events after a number (`watching.Watch`, `reading.after`).
"""
