"""Files on the disk without a name, which are gone when whoever sends them closes them."""

from collections.abc import Callable
from tempfile import TemporaryFile
from typing import IO


def written(write: Callable[[IO[bytes]], object]) -> IO[bytes]:
    """An open file with what was written into it, from its beginning."""
    file: IO[bytes] = TemporaryFile()  # noqa: SIM115 - whoever sends it closes it
    try:
        write(file)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file
