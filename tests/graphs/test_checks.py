from importlib import import_module
from types import ModuleType

import pytest
from django.contrib.admin import AdminSite
from django.core.checks import run_checks
from django.test import override_settings
from django.urls import path, reverse

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


def test_of_two_sites_of_an_app_the_one_with_its_own_name_is_meant() -> None:
    """As `reverse` does; the last one in the list is the first that Django notes."""
    urls = ModuleType("two_admins")
    urls.urlpatterns = [*import_module("config.urls").urlpatterns, path("staff/", AdminSite("staff").urls)]  # type: ignore[attr-defined]
    with override_settings(ROOT_URLCONF=urls), shops(url="admin:graphs_graph_change"):
        assert reverse("admin:graphs_graph_change", args=[1])
        assert [found.id for found in run_checks() if found.id == "graphs.E001"] == []
