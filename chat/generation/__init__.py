"""Structured generation: what is asked of a managed prompt, and what its output changes."""
