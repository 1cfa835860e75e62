from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from graphs.site.retry_after import retry_after


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 21 Oct 99999999999 07:28:00 GMT"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "9" * 400}, None),
        ({"retry-after": "\u00b2"}, None),
        ({}, None),
    ],
)
def test_it_reads_how_long_to_wait(headers, seconds):
    assert retry_after(headers) == seconds


def test_it_reads_the_date_to_wait_for():
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert 20 < (retry_after({"retry-after": soon}) or 0) <= 30
    assert retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0


def test_it_counts_from_what_the_vendors_clock_shows():
    headers = {"retry-after": "Wed, 21 Oct 2015 07:28:30 GMT", "date": "Wed, 21 Oct 2015 07:28:00 GMT"}
    assert retry_after(headers) == 30
    assert retry_after({**headers, "date": "yesterday"}) == 0
