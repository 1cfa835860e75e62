"""graphs/site/temporary_files.py: files without a name, from their beginning, and none where writing fails."""

from typing import IO

import pytest

from graphs.site.temporary_files import written


def test_it_is_read_from_its_beginning() -> None:
    with written(lambda file: file.writelines([b"one", b"two"])) as file:
        assert file.read() == b"onetwo"


def test_one_that_cannot_be_written_is_closed() -> None:
    made: list[IO[bytes]] = []

    def fails(file: IO[bytes]) -> None:
        made.append(file)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        written(fails)
    assert made[0].closed
