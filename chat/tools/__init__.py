"""What a model may call: what a tool is, and those of every conversation."""
