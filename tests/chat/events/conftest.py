"""What the tests of the event log share."""

import pytest

from tests.chat.events.logs import a_stream


@pytest.fixture
def stream(db: None) -> int:
    """The id of a new stream."""
    return a_stream()
