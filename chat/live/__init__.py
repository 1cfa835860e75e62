"""The people at each watched graph of this process, and their news: edits, other people, savings."""
