"""Authentication of readers, checks whether they may stay, and counts of their connections."""
