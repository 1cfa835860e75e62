"""What was found, put in order: scores, names and links of things of any kind."""
