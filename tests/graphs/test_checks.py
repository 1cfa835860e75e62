import pytest
from django.core.checks import run_checks

from graphs.models import Workspace
from graphs.objects import register
from graphs.objects.headers import url_of
from graphs.objects.kinds import KINDS
from tests.registered import forget, product, shops
from tests.shop.models import Shop


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("graph", []),
        ("", []),
        ("no-such-page", ["graphs.E001"]),
        ("admin:graphs_graph_change", []),
        ("admin:no-such-page", ["graphs.E001"]),
        ("no-such-place:graph", ["graphs.E001"]),
    ],
)
def test_a_name_of_no_address_is_told(url: str, said: list[str]) -> None:
    with shops(url=url):
        assert [found.id for found in run_checks() if found.id == "graphs.E001"] == said


def test_a_parent_that_nobody_registered_is_told() -> None:
    with shops():
        assert [found.id for found in run_checks() if found.id == "graphs.E002"] == []
        forget(KINDS["shop"])
        try:
            assert [found.msg for found in run_checks() if found.id == "graphs.E002"] == [
                "product: parent='shop' leads to no registered model. Register it, too."
            ]
        finally:
            register(Shop, title="name", workspace="workspace", fields=("name",))


def test_a_key_that_fits_into_no_address_has_none(demo_workspace: Workspace) -> None:
    row = product(Shop.objects.create(workspace=demo_workspace, name="Corner"))
    with shops(url="inbox") as kind:
        assert url_of(kind, row) == ""
