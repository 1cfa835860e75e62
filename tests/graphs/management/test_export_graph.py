import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from graphs.models import Workspace
from graphs.workflows.imports import import_graph
from tests.graphs.workflows.interchange.samples import native, parsed

pytestmark = pytest.mark.django_db


@pytest.fixture
def demo() -> Workspace:
    return Workspace.objects.create(slug="demo", name="Demo")


def test_it_prints_a_native_file(demo: Workspace) -> None:
    import_graph(demo, parsed(native(name="Météo")))
    out = StringIO()
    call_command("export_graph", "weather", stdout=out)
    assert json.loads(out.getvalue())["format"] == "countersign.graph"
    assert "Météo" in out.getvalue()


def test_it_says_that_a_graph_does_not_exist(demo: Workspace) -> None:
    other = Workspace.objects.create(slug="other", name="Other")
    import_graph(other, parsed(native()))
    with pytest.raises(CommandError, match='no graph "weather" in the workspace "demo"'):
        call_command("export_graph", "weather")
