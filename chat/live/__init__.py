"""Who watches which graph through this process, and what they are told: edits, who else is there, what was saved."""
