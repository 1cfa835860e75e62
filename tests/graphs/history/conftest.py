"""Live edits are saved into the history."""

from tests.graphs.workflows.live.conftest import live

__all__ = ["live"]
