from datetime import UTC, datetime
from typing import Any

import pytest

from graphs.records.list_rows import rows_of
from graphs.records.listing import ListedRecord

ODD = "<b>&amp;\"'{0}{name}%(x)s%"
ESCAPED = "&lt;b&gt;&amp;amp;&quot;&#x27;{0}{name}%(x)s%"
MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def record(**given: str) -> ListedRecord:
    shown: dict[str, Any] = {"key": "7", "name": "Slots", "url": "/use-cases/7/", "status": "draft", **given}
    return ListedRecord(changed=MOMENT, **shown)


@pytest.mark.parametrize("field", ["key", "name", "url", "status", "holder", "holder_url"])
def test_what_people_wrote_is_escaped_once(field: str) -> None:
    row = rows_of([record(**{"holder": "Claims", field: ODD})], {}, "", may_choose=True, are_held=True)
    assert ESCAPED in row
    assert ODD not in row


def test_each_row_tells_what_holds_it() -> None:
    held = [record(holder="One", holder_url="/folders/1/"), record(), record(holder="Two", holder_url="/folders/2/")]
    told = rows_of(held, {}, "?workspace=ours", may_choose=False, are_held=True)
    cells = [each.partition("</td>")[0] for each in told.split('<td class="holder">')[1:]]
    assert cells == [
        '<a href="/folders/1/?workspace=ours">One</a>',
        "",
        '<a href="/folders/2/?workspace=ours">Two</a>',
    ]


def test_who_may_not_choose_gets_no_boxes_and_what_nothing_holds_no_cell() -> None:
    row = rows_of([record()], {"7": 2}, "", may_choose=False, are_held=False)
    assert "<input" not in row
    assert 'class="holder"' not in row
    assert ">2 conversations of yours<" in row
    assert ">1 conversation of yours<" in rows_of([record()], {"7": 1}, "", may_choose=False, are_held=False)
