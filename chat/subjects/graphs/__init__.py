"""The words and tools of conversations about graphs."""
