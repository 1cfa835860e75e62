"""Workflow files: bytes that nobody vouches for in, a checked `ParsedGraph` out. Pure: no database."""
