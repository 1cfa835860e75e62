"""What happens inside, told once and heard by many: log lines, metrics, spans. docs/observing.md lists the events.

Whoever does something says so in one line (`events.tell`, `events.activity`); who listens is decided at the start.
"""
