"""Spreadsheets that are made to take memory, time or a process: refused with a sentence, and nothing else ends."""

import io
import time
import zipfile
from pathlib import Path
from threading import BoundedSemaphore, Thread

import pytest
from pytest_django import Settings

from graphs.tables import spreadsheets
from graphs.tables.table import TableRefused
from tests.graphs.tables.files import xlsx

SHEET = "xl/worksheets/sheet1.xml"


def changed(book: bytes, **parts: bytes) -> bytes:
    """The book with other contents of some parts, named without their folders."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, parts.get(Path(name).stem, old.read(name)))
    return out.getvalue()


def sheet(rows: str) -> bytes:
    head = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    return f"{head}{rows}</sheetData></worksheet>".encode()


def refusal(book: bytes) -> str:
    with pytest.raises(TableRefused) as refused:
        spreadsheets.read(book)
    assert str(refused.value)
    return refused.value.code


@pytest.fixture(scope="module")
def book() -> bytes:
    return xlsx([["name"], ["Net"]])


def test_a_part_that_is_packed_too_tightly_is_not_unpacked(book: bytes) -> None:
    blank = sheet("<row><c t='inlineStr'><is><t>" + "x" * 50_000_000 + "</t></is></c></row>")
    assert refusal(changed(book, sheet1=blank)) == "packed_too_tightly"


def test_more_than_fits_is_not_unpacked(book: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.BytesIO(book)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_STORED) as archive:
        archive.writestr("xl/media/a", b"0123456789" * 100)
        archive.infolist()[-1].file_size = 300_000_000  # as a forged directory says
    assert refusal(out.getvalue()) == "too_big_unpacked"


def test_a_size_that_is_forged_saves_no_bomb(book: bytes) -> None:
    bomb = changed(book, sheet1=sheet("<row><c t='inlineStr'><is><t>" + "x" * 400_000_000 + "</t></is></c></row>"))
    out = io.BytesIO(bomb)
    with zipfile.ZipFile(out, "a") as archive:
        archive.getinfo(SHEET).file_size = 1_000
        archive.writestr("more", b"")
    assert refusal(out.getvalue()) in {"no_spreadsheet", "too_big_unpacked", "too_many_rows"}


def test_a_cell_at_the_far_end_is_refused(book: bytes) -> None:
    far = "<row r='1'><c r='A1'><v>1</v></c></row><row r='1048576'><c r='XFD1048576'><v>1</v></c></row>"
    assert refusal(changed(book, sheet1=sheet(far))) in {"no_spreadsheet", "too_many_rows", "too_many_columns"}


def test_a_text_that_many_cells_share_counts_in_each(settings: Settings) -> None:
    settings.MAX_IMPORT_BYTES = 100_000
    assert refusal(xlsx([["name"], *([["y" * 1_000]] * 200)])) == "too_big_unpacked"


@pytest.mark.parametrize(
    "parts",
    [
        {"sheet1": b"<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/hostname'>]>" + sheet("<row><c><v>&e;</v></c></row>")},
        {"sheet1": b"\0\xff" * 1_000},
        {"workbook": b"<workbook/>"},
    ],
)
def test_what_is_no_sheet_is_refused_and_reads_no_file(book: bytes, parts: dict[str, bytes]) -> None:
    assert refusal(changed(book, **parts)) in {"no_spreadsheet", "empty"}


def test_rows_and_columns_have_a_limit() -> None:
    assert refusal(xlsx([["name"], *([["x"]] * 5_001)])) == "too_many_rows"
    assert refusal(xlsx([["x"] * 201])) == "too_many_columns"
    assert len(spreadsheets.read(xlsx([["name"], *([["x"]] * 5_000)])).rows) == 5_000


def test_a_reader_that_hangs_is_ended_and_others_go_on(
    book: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging = tmp_path / "hanging.py"
    hanging.write_text("while True: pass")
    monkeypatch.setattr(spreadsheets, "SECONDS", 2)
    child = spreadsheets._CHILD
    monkeypatch.setattr(spreadsheets, "_CHILD", hanging)
    counted = 0
    waiting = Thread(target=refusal, args=(book,))
    waiting.start()
    while waiting.is_alive():
        counted += 1
        time.sleep(0.01)
    assert counted > 10
    monkeypatch.setattr(spreadsheets, "_CHILD", child)
    monkeypatch.setattr(spreadsheets, "SECONDS", 30)
    assert spreadsheets.read(book).rows[0].cells == ("Net",)


def test_the_limits_of_the_process_hold(book: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    greedy = tmp_path / "greedy.py"
    code = spreadsheets._CHILD.read_text().replace("data = sys.stdin.buffer.read()", "data = b'x' * 2_000_000_000")
    greedy.write_text(code)
    monkeypatch.setattr(spreadsheets, "_CHILD", greedy)
    assert refusal(book) == "no_spreadsheet"


def test_a_few_are_read_at_a_time(book: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreadsheets, "_places", BoundedSemaphore(1))
    monkeypatch.setattr(spreadsheets, "SECONDS", 0.1)
    with spreadsheets._places:
        assert refusal(book) == "busy"


def test_the_program_knows_nothing_of_the_sites_environment(
    book: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    telling = tmp_path / "telling.py"
    telling.write_text("import json, os; print(json.dumps([sorted(os.environ)]))")
    monkeypatch.setenv("SECRET_KEY", "of the site")
    monkeypatch.setattr(spreadsheets, "_CHILD", telling)
    assert "SECRET_KEY" not in spreadsheets.read(book).heads
