"""The matrix of a folder: places by ratings and weights, what other weights would make of them, and refusals."""

from typing import Any

from tests.wire.story import API, NOWHERE, Story

AXES: dict[str, Any] = {
    "matrix_config.valueAxes": [
        {"id": "gain", "name": "Gain", "weight": 2, "levels": [
            {"rating": 1, "label": "low", "points": 1}, {"rating": 5, "label": "high", "points": 8},
        ]},
    ],
    "matrix_config.complexityAxes": [{"id": "data", "name": "Data", "weight": 1}],
    "matrix_config.thresholds": {"value": 5},
}  # fmt: skip


def scores(gain: int | None, data: int) -> dict[str, Any]:
    return {
        "data.valueScores": [{"axisId": "gain", "rating": gain}],
        "data.complexityScores": [{"axisId": "data", "rating": data}],
    }


async def tell(story: Story) -> None:
    folder = await story.call("a folder", "POST", "objects/folder", {"fields": {"name": "Warehouse", **AXES}})
    matrix = f"folders/{folder['id']}/matrix"
    await story.call("without use cases", "GET", matrix)
    for name, rated in (("Picking", scores(5, 3)), ("Labels", scores(None, 1))):
        body = {"fields": {"data.name": name, **rated}, "parent": f"folder:{folder['id']}"}
        await story.call(name, "POST", "objects/usecase", body)
    await story.call("with two, one of them not rated yet", "GET", matrix, who="bob")
    await story.call("an unknown size", "GET", f"{matrix}.svg?size=huge")
    heavier = {"valueAxes": [{"id": "gain", "name": "Gain", "weight": -1}]}
    await story.call("a weight that is none", "POST", f"{matrix}/preview", {"matrixConfig": heavier})
    await story.call("an order that is none", "POST", f"{matrix}/preview", {"matrixConfig": {}, "order": "salary"})
    await story.call("tried by a viewer", "POST", f"{matrix}/preview", {"matrixConfig": {}}, who="bob")
    for path in (matrix, f"{matrix}.svg", f"{matrix}.png"):
        absent = path.replace(folder["id"], NOWHERE).removeprefix(API)
        await story.call("of a folder that is not there", "GET", absent)
    absent = f"{matrix}/preview".replace(folder["id"], NOWHERE).removeprefix(API)
    await story.call("tried in a folder that is not there", "POST", absent, {"matrixConfig": {}})
