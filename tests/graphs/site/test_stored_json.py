from typing import Any

import pytest

from graphs.site.api.problems import problem_of
from graphs.site.stored_json import Shape, UnknownVersion


def renamed(data: dict[str, Any]) -> dict[str, Any]:
    return {"name": data["title"]}


def counted(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "length": len(data["name"])}


THINGS = Shape("thing", (renamed, counted))


def test_older_data_is_upgraded_step_by_step() -> None:
    assert THINGS.version == 3
    assert THINGS.upgraded({"title": "abc"}, 1) == {"name": "abc", "length": 3}
    assert THINGS.upgraded({"name": "abc"}, 2) == {"name": "abc", "length": 3}
    assert THINGS.upgraded({"name": "abc", "length": 9}, 3) == {"name": "abc", "length": 9}


@pytest.mark.parametrize("version", [4, 0, -1, None, "1", 1.0])
def test_other_versions_are_refused_as_a_whole(version: object) -> None:
    with pytest.raises(UnknownVersion, match=r"thing of version .*; this program knows versions up to 3"):
        THINGS.upgraded({"title": "abc"}, version)


def test_doors_say_that_it_passes() -> None:
    problem = problem_of(UnknownVersion("event of version 2; this program knows versions up to 1"))
    assert (problem.status, problem.code) == (503, "unavailable")
    assert "Retry-After" in problem.headers
