"""The part of a graph that a question is about."""
