"""How a kind of objects is found and told to a model: one source for each kind, and a default for all others."""
