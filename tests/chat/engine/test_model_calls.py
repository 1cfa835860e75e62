import pytest
from django.contrib.auth.models import User

from chat.engine import calling
from graphs.models import Graph
from tests.chat.engine.driving import Engine, ask, rested
from tests.vendors import VendorServer

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_request_that_fits_is_built_once(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    built, prepare = [], calling.prepare

    def counted(*args: object, **kwargs: object) -> calling.LiveCall:
        built.append(prepare(*args, **kwargs))  # type: ignore[arg-type]
        return built[-1]

    monkeypatch.setattr(calling, "prepare", counted)
    rested(ask(alice, "SCRIPT:two_tools").run_id)
    assert len(built) == len(vendor.requests) == 2
