"""The REST doors of the conversation."""
