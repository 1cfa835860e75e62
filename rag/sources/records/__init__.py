"""What is told of business records beside their fields: where use cases are in the matrix of their folder."""
