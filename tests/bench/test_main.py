"""The command itself, which begins without Django."""

import os

from tests import forked


def test_it_says_which_benchmarks_there_are() -> None:
    code, text = forked.run("bench", ["--help"], {"PATH": os.environ["PATH"]})
    assert code == 0, text
    assert "streaming" in text
