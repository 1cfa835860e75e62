"""How long an ordinary page takes while answers are being written, beside the same page on a quiet server."""

import re
import time
import urllib.parse
import urllib.request
from collections.abc import Callable
from http.cookiejar import CookieJar

from bench import systems
from bench.client import Plan
from bench.figures import percentile, ratio
from bench.systems import Readers, System
from bench.table import Row

STREAMS, RATE = 16, 100
_PAUSE_S = 0.02
_FIELD = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


class Visitor:
    """A person who is signed in and looks at a graph's page again and again."""

    def __init__(self, system: System) -> None:
        self._base = f"http://127.0.0.1:{system.port}"
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        found = _FIELD.search(self._get("/accounts/login/"))
        assert found is not None
        fields = {"csrfmiddlewaretoken": found[1], "username": "demo", "password": systems.PASSWORD}
        body = urllib.parse.urlencode(fields).encode()
        self._opener.open(f"{self._base}/accounts/login/", body, timeout=60).close()

    def look_ms(self, visits: int) -> list[float]:
        """How long each visit took."""
        found = []
        for _ in range(visits):
            time.sleep(_PAUSE_S)
            began = time.perf_counter()
            page = self._get("/graphs/nba/")
            found.append((time.perf_counter() - began) * 1000)
            assert "<chat-widget" in page
        return found

    def _get(self, path: str) -> str:
        with self._opener.open(f"{self._base}{path}", timeout=60) as answer:
            return str(answer.read().decode())


def rows(product: System, rounds: int, visits: int) -> list[Row]:
    """Both percentiles: the page on the quiet server as reference, and while `STREAMS` answers are written."""
    visitor = Visitor(product)
    visitor.look_ms(10)
    quiet: list[float] = []
    busy: list[float] = []
    for _ in range(rounds):
        quiet += visitor.look_ms(visits)
        busy += _while_streaming(product, lambda: visitor.look_ms(visits))
    what = f"an ordinary page while {STREAMS} answers of {RATE} tokens/s are written"
    return [Row(f"{what}, p{percent}", *_both(quiet, busy, percent), unit="ms") for percent in (50, 99)]


def _both(quiet: list[float], busy: list[float], percent: float) -> tuple[float, float, float]:
    before, during = percentile(quiet, percent), percentile(busy, percent)
    return before, during, ratio(during, before)


def _while_streaming(product: System, look: Callable[[], list[float]]) -> list[float]:
    readers = Readers(Plan(product.url, product.name, product.token(), STREAMS, 8 * RATE, RATE, 0.5, 0.0))
    readers.wait_for("running")
    found = look()
    readers.wait_for("over")
    readers.result()
    return found
