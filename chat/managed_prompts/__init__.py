"""Prompts that people manage: their variables, wordings of the repository, which version counts, and rendering it."""
