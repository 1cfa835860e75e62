"""The page of a folder's matrix as the server makes it: who gets it, the table, what is missing, and what is empty."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from graphs import matrix_page
from graphs.models import Folder, UseCase
from tests.cast import signed_in
from tests.graphs.records.conftest import AXES, company, folder
from tests.graphs.records.test_folder_matrix import rated
from tests.graphs.records.test_scenes import fill

__all__ = ["company", "folder"]
pytestmark = pytest.mark.django_db
_ROW = re.compile(r'<tr data-key="[^"]+">.*?</tr>', re.DOTALL)


@pytest.fixture
def client(alice: User) -> Client:
    return signed_in(alice)


def page(client: Client, folder: Folder, query: str = "", **more: Any) -> str:
    answer = client.get(f"/folders/{folder.pk}/matrix/{query}", **more)
    assert answer.status_code == 200
    return str(answer.content.decode())


def rows(html: str) -> list[str]:
    """The names in the table, in their order."""
    return [re.findall(r"<a [^>]*>([^<]*)</a>", row)[0] for row in _ROW.findall(html)]


def test_it_has_the_drawing_and_a_table_of_the_same(client: Client, folder: Folder) -> None:
    made = rated(folder, "Picking", status="ready")
    html = page(client, folder)
    assert "Matrix of Warehouse" in html
    assert f"/api/v1/folders/{folder.pk}/matrix.svg?size=narrow&amp;workspace=demo" in html
    (row,) = _ROW.findall(html)
    assert f'href="/use-cases/{made.pk}/"' in row
    assert [text for text in ("Picking", "ready", ">10<", ">3<", "Large projects") if text not in row] == []


def test_editors_may_try_weights_and_viewers_look_at_them(client: Client, bob: User, folder: Folder) -> None:
    rated(folder, "Picking")
    assert "data-editable" in page(client, folder)
    html = page(signed_in(bob), folder)
    assert "data-editable" not in html
    assert "data-save" not in html
    assert html.count(" disabled>") == 2
    assert 'value="2"' in html


def test_foreign_is_as_absent(charlie: User, folder: Folder) -> None:
    client = signed_in(charlie)
    foreign = client.get(f"/folders/{folder.pk}/matrix/")
    absent = client.get("/folders/00000000-0000-0000-0000-000000000000/matrix/")
    assert (foreign.status_code, absent.status_code) == (404, 404)
    without = re.compile(r'(csrf\w*token"? value="[^"]+"|nonce="[^"]+"|name="next" value="[^"]+")')
    assert without.sub("", foreign.content.decode()) == without.sub("", absent.content.decode())


def test_the_table_is_ordered_by_any_column_and_says_so(client: Client, folder: Folder) -> None:
    rated(folder, "Bbb", data=1)
    rated(folder, "Aaa", data=5)
    assert rows(page(client, folder, "?order=name")) == ["Aaa", "Bbb"]
    html = page(client, folder, "?order=-complexity")
    assert rows(html) == ["Aaa", "Bbb"]
    assert html.count('aria-sort="descending"') == 1
    assert 'href="?order=complexity#matrix-table"' in html
    assert rows(page(client, folder, "?order=salary")) == rows(page(client, folder))


def test_axes_of_one_name_are_told_apart_where_ratings_are_missing(client: Client, folder: Folder) -> None:
    folder.matrix_config = AXES | {"complexityAxes": [{"id": "data", "name": "Gain", "weight": 1}]}
    folder.save()
    rated(folder, "Picking", gain=None, data=None)
    assert "lacks Gain (Value), Gain (Complexity)" in page(client, folder)


def test_the_table_has_pages(client: Client, folder: Folder) -> None:
    fill(folder, 230)
    html = page(client, folder, "?order=name&page=3")
    assert rows(html) == [f"Case {index:05}" for index in range(200, 230)]
    assert "Page 3 of 3" in html
    for beyond in ("4", "999999", "x", "٣", "-1", ""):
        assert rows(page(client, folder, f"?order=name&page={beyond}"))


def test_a_part_of_the_drawing_has_its_rows(client: Client, folder: Folder) -> None:
    fill(folder, 70)
    html = page(client, folder, "?cell=12-10-2-9&order=name")
    assert "14 use cases of one part of the drawing." in html
    assert rows(html)[:3] == ["Case 00000", "Case 00005", "Case 00010"]
    assert len(rows(page(client, folder, "?cell=nonsense"))) == 70


def test_who_lacks_a_rating_is_listed_apart_with_what_is_missing(
    client: Client, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    rated(folder, "Picking")
    made = rated(folder, "Labels", gain=None, data=None)
    html = page(client, folder)
    assert rows(html) == ["Picking"]
    assert f'<a href="/use-cases/{made.pk}/">Labels</a> <span class="muted">lacks Gain, Data</span>' in html
    rated(folder, "Zones", gain=None)
    monkeypatch.setattr(matrix_page, "UNRATED_LISTED", 1)
    assert "and 1 more" in page(client, folder)


def test_without_axes_it_says_so(client: Client, folder: Folder) -> None:
    rated(folder, "Picking")
    Folder.objects.update(matrix_config={})
    html = page(client, folder)
    assert "There are no axes yet" in html
    assert "<matrix-view" not in html


def test_without_use_cases_it_says_so(client: Client, folder: Folder) -> None:
    assert "There are no use cases yet" in page(client, folder)


def test_while_nothing_is_rated_it_says_so_and_lists_them(client: Client, folder: Folder) -> None:
    rated(folder, "Picking", gain=None)
    html = page(client, folder)
    assert "Nothing is rated yet" in html
    assert "lacks Gain" in html
    assert "matrix.svg" not in html


def test_any_text_is_text(client: Client, folder: Folder) -> None:
    bad = "<script>alert(1)</script>"
    axes = {"valueAxes": [{"id": bad, "name": bad}], "complexityAxes": [{"id": "data", "name": bad}]}
    Folder.objects.update(name=bad, matrix_config=axes)
    rated(folder, bad)
    html = page(client, folder)
    assert bad not in html
    assert "&lt;script&gt;alert(1)" in html


def test_links_stay_in_the_workspace(client: Client, folder: Folder, alice: User) -> None:
    rated(folder, "Picking")
    assert "?workspace=demo&amp;order=" in page(client, folder, "?workspace=demo")


def test_it_speaks_french(client: Client, folder: Folder) -> None:
    rated(folder, "Picking")
    rated(folder, "Labels", gain=None)
    html = page(client, folder, headers={"Accept-Language": "fr"})
    for text in ("Matrice de Warehouse", "Valeur", "Complexité", "Grands projets", "Encore à noter", "il manque"):
        assert text in html


def test_ten_thousand_are_shown_in_few_queries(client: Client, folder: Folder) -> None:
    fill(folder, 10_000)
    with CaptureQueriesContext(connection) as asked:
        html = page(client, folder)
    assert len(asked) <= 10, "\n".join(query["sql"][:130] for query in asked)
    assert len(rows(html)) == 100
    assert len(html) < 200_000
    assert "Shown are the first" not in html
    rated(folder, "One more")
    assert "Shown are the first 10,000 of 10,001 use cases" in page(client, folder)


def test_a_status_that_other_code_saved_is_shown_as_it_is(client: Client, folder: Folder) -> None:
    rated(folder, "Picking")
    UseCase.objects.update(status="odd")
    assert ">odd<" in page(client, folder)


def test_its_conversations_are_about_the_folder(client: Client, folder: Folder) -> None:
    assert f'context-type="folder" context-id="{folder.pk}"' in page(client, folder)
