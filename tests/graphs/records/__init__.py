"""Mirrors graphs/records."""
