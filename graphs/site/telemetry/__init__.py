"""Log lines, metrics and spans of what happens inside. docs/observing.md lists the events.

Code that does something says so in one line (`events.emit`, `events.activity`). The listeners are chosen at the start.
"""
