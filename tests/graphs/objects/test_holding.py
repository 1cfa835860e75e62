"""graphs/objects/holding.py: versions rise there, and nowhere else."""

import re
from pathlib import Path

import pytest

from graphs.models import Graph, Object
from graphs.objects.holding import hold, raise_versions

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.django_db
def test_what_changes_live_is_unsaved_since_the_first_edit(nba: Graph) -> None:
    def stored() -> Object:
        return Object.objects.get(pk=nba.pk)

    assert raise_versions([nba.pk]) == {nba.pk: nba.version + 1}
    assert stored().unsaved_since is None
    assert raise_versions([nba.pk], live=True) == {nba.pk: nba.version + 2}
    first = stored()
    assert first.unsaved_since == first.updated_at
    for live in (True, False):
        raise_versions([nba.pk], live=live)
    assert (stored().version, stored().unsaved_since) == (nba.version + 4, first.unsaved_since)
    assert stored().updated_at > first.updated_at
    with pytest.raises(Object.DoesNotExist):
        hold([nba.pk])


def test_nothing_else_raises_the_version_of_an_object() -> None:
    """Statements that raise it in SQL, and updates of it by the ORM; rows of parts have versions of their own."""
    raising = re.compile(
        r"UPDATE graphs_object SET version|Object\.objects\b[^\n]*\.update\([^)]*\bversion=", re.DOTALL
    )
    found = {
        str(path.relative_to(ROOT))
        for app in ("graphs", "rag", "chat")
        for path in (ROOT / app).rglob("*.py")
        if "migrations" not in path.parts and raising.search(path.read_text())
    }
    assert found == {"graphs/objects/holding.py"}
