"""What the workers of a run share out."""

import os

import pytest


@pytest.mark.xdist_group("together")
@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="all tests run in one process (-n 0)")
def test_groups_stay_on_one_worker(request: pytest.FixtureRequest) -> None:
    """Of a pytest that xdist does not know they are spread without a word, and servers started by each worker."""
    assert request.node.nodeid.endswith("@together")
