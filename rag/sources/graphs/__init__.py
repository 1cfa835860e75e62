"""How a graph is found and told: by its nodes, their words, vectors and edges."""
