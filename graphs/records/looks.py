"""How pages show the fields of records whose form does not tell."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graphs.models import UseCase
from graphs.page_parts.looks import Look, register_look

_TEXTS = (
    *("benefits", "metrics", "risks", "constraints", "nextSteps", "dataSources", "dataObjects", "technologies"),
    "references",
)


def register() -> None:
    """Makes the looks known, when the program starts."""
    for key in _TEXTS:
        register_look("usecase", f"data.{key}", Look("texts"))
    for side in ("value", "complexity"):
        register_look("usecase", f"data.{side}Scores", Look("scores", _axes(f"{side}Axes")))
        register_look("folder", f"matrix_config.{side}Axes", Look("axes"))
    register_look("folder", "matrix_config.thresholds", Look("thresholds"))


def _axes(key: str) -> Callable[[UseCase], Sequence[Mapping[str, Any]]]:
    """Gives the axes of one side of the folder of a use case."""
    return lambda row: (row.folder.matrix_config.get(key) if row.folder else None) or []
