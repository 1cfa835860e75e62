"""Workflow files: bytes that nobody vouches for in, a checked `ParsedGraph` out. Pure: no database."""

from graphs.workflows.interchange.base import (
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
from graphs.workflows.interchange.formats import FORMATS, parse

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
