"""Rows and values as text: words, tokens, tables for a model."""
