from graphs.workflows.interchange import grid


def test_it_keeps_given_places() -> None:
    assert grid.fill([("a", (1.0, 2.0)), ("a", (0.0, 0.0))]) == [(1.0, 2.0), (0.0, 0.0)]


def test_it_fills_rows_below_what_has_a_place_sheet_by_sheet() -> None:
    places = grid.fill([("a", (0.0, 500.0)), ("a", None), ("a", None), ("b", None)])
    assert places[1:] == [(0.0, 500.0 + grid.ROW_HEIGHT), (grid.COLUMN_WIDTH, 500.0 + grid.ROW_HEIGHT), (0.0, 0.0)]


def test_it_begins_a_new_row_when_one_is_full() -> None:
    places = grid.fill([("a", None)] * (grid.COLUMNS + 1))
    assert places[-1] == (0.0, grid.ROW_HEIGHT)
    assert len(set(places)) == len(places)
