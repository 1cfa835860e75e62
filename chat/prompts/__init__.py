"""What the model is told: `system` once per session, `question` with every message of a person."""
