"""Texts as vectors: who makes them, which of them serve, and how they are kept true."""
