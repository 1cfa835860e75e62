"""The people at each watched graph of this process, and what they are told: edits, who else is there, savings."""
