"""config/prepare.py: what a start refuses before it touches the database."""

import pytest

from config import prepare
from config.problem import Problem
from tests.registered import shops


@pytest.fixture(autouse=True)
def untouched(monkeypatch: pytest.MonkeyPatch) -> None:
    def connect() -> None:
        pytest.fail("It went on to the database.")

    monkeypatch.setattr(prepare, "_connect", connect)


def test_a_page_without_an_address_is_refused_with_its_sentence() -> None:
    with shops(url="no-such-page"), pytest.raises(Problem) as refused:
        prepare.main()
    assert refused.value.sentence == (
        "product: url='no-such-page' is the name of no address. Name one that takes the key."
    )


def test_registrations_that_work_are_prepared_for() -> None:
    with shops(url="graph"), pytest.raises(pytest.fail.Exception, match="It went on"):
        prepare.main()
