"""People edit a graph live. An edit is in the graph's rows at once, so whoever reads a graph reads unsaved edits, too;
the history gets them folded into change sets, when they are saved."""
