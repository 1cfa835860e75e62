"""Log lines, metrics and spans of what happens inside (docs/observing.md), for listeners chosen at the start."""
