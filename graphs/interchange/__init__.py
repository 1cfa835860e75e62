"""Workflow files: bytes that nobody vouches for in, a checked `ParsedGraph` out. Pure: no database.

`graphs.imports` writes what `parse` returns; `graphs.exports` makes native files.
"""

from graphs.interchange.base import (
    FileWarning,
    Format,
    ImportRefused,
    Limits,
    ParsedEdge,
    ParsedGraph,
    ParsedNode,
    ParsedNodeType,
    ParsedSheet,
    Problem,
)
from graphs.interchange.formats import FORMATS, parse

__all__ = [
    "FORMATS",
    "FileWarning",
    "Format",
    "ImportRefused",
    "Limits",
    "ParsedEdge",
    "ParsedGraph",
    "ParsedNode",
    "ParsedNodeType",
    "ParsedSheet",
    "Problem",
    "parse",
]
