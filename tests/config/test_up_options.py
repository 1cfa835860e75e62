"""config/up.py: what `manage.py up` takes, and what it says of what it does not take."""

import argparse

import pytest

from config import up


@pytest.fixture
def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    up.add_arguments(parser)
    return parser


def test_no_workers_are_a_number(parser: argparse.ArgumentParser) -> None:
    options = parser.parse_args(["--web", "2", "--workers", "0", "--port", "0"])
    assert (options.web, options.workers, options.port) == (2, 0, 0)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--web", "0"], "--web: must be a number, at least 1"),
        (["--web", "two"], "--web: must be a number, at least 1"),
        (["--workers", "-1"], "--workers: must be a number, at least 0"),
        (["--port", "65536"], "--port: must be from 0 to 65535"),
    ],
)
def test_what_cannot_be_is_refused(
    parser: argparse.ArgumentParser, given: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        parser.parse_args(given)
    assert said in capsys.readouterr().err
