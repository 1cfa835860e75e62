"""People edit a graph live. An edit is in the rows at once, and in the history when it is saved."""
