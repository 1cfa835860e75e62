"""What a model was sent, call by call, kept for a while so that an admin can see what it saw. docs/observing.md."""
