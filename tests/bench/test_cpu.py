import pytest

from bench.cpu import Read, serves


@pytest.mark.parametrize(
    ("title", "served"),
    [
        ("postgres: postgres countersign [local] idle", True),
        ("postgres: postgres reference [local] idle", False),
        ("postgres: main: postgres reference 127.0.0.1(5000) SELECT", False),
        ("postgres: postgres countersign 127.0.0.1(5000) COMMIT", True),
        ("postgres: walwriter", True),
        ("postgres: autovacuum worker reference", False),
        ("postgres: autovacuum worker countersign", True),
        ("postgres: autovacuum launcher ", True),
        ("", True),
    ],
)
def test_what_is_done_for_databases_of_others_does_not_count(title: str, served: bool) -> None:
    assert serves(title, "countersign") == served


def test_a_process_that_came_meanwhile_counts_from_its_beginning() -> None:
    before, now = Read(1.0, {1: 2.0, 2: 5.0}), Read(1.5, {1: 2.25, 3: 0.5})
    assert now.database_since(before) == 0.75
