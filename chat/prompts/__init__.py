"""What the model reads: `system` once per session, `question` with every message of a person."""
