"""The HTTP doors under `/api/v1/`: what all of them share, and those of graphs."""
