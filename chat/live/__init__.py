"""The people at each watched object of this process, and their news: edits, other people, savings."""
