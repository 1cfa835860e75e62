from io import StringIO

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command

from config.demo.records import LANGUAGES, import_demo_records
from graphs.models import Company, Folder, Graph, Node, NodeType, Object, Role, UseCase, Workspace
from graphs.records.matrix import Matrix
from graphs.site.access import member_of

pytestmark = pytest.mark.usefixtures("quick_passwords")


def seed(**options: str) -> str:
    out = StringIO()
    call_command("seed_demo", stdout=out, **options)
    return out.getvalue()


@pytest.fixture
def password(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("DEMO_PASSWORD", "a demo password")
    return "a demo password"


@pytest.mark.django_db
def test_it_creates_people_with_their_roles(password: str) -> None:
    seed()
    for name, slug, role in (
        ("demo", "demo", Role.ADMIN),
        ("alice", "demo", Role.EDITOR),
        ("bob", "demo", Role.VIEWER),
        ("charlie", "other", Role.EDITOR),
    ):
        user = authenticate(username=name, password=password)
        assert user is not None
        assert (member_of(user).workspace.slug, member_of(user).role) == (slug, role)
        assert user.is_superuser == (name == "demo")


@pytest.mark.django_db
def test_it_creates_the_nba_graph_of_the_seed(password: str) -> None:
    seed()
    nba = Graph.objects.get(workspace__slug="demo", key="nba")
    assert set(nba.nodes.values_list("key", flat=True)) == {
        "entry-form", "root", "fetch-api", "filter-active", "display-html", "return", "error-handler", "sort-stats",
        "disconnected-note",
    }  # fmt: skip
    assert set(nba.sheets.values_list("key", flat=True)) == {"main", "data-processing"}
    assert set(nba.edges.values_list("source__key", "source_handle", "target__key", "label")) == {
        ("entry-form", "R-0", "root", "entryType"),
        ("root", "R-0", "fetch-api", ""),
        ("fetch-api", "R-0", "filter-active", "success"),
        ("fetch-api", "R-1", "error-handler", "error"),
        ("filter-active", "R-0", "display-html", ""),
        ("display-html", "R-0", "return", ""),
    }
    types = NodeType.objects.filter(workspace__slug="demo")
    assert set(types.values_list("key", flat=True)) == {"api-call", "filter", "transform", "log-node"}


@pytest.mark.django_db
def test_it_creates_a_bigger_graph_and_one_elsewhere(password: str) -> None:
    seed()
    orders = Graph.objects.get(workspace__slug="demo", key="order-to-cash")
    assert (orders.nodes.count(), orders.sheets.count()) == (60, 3)
    assert Graph.objects.filter(workspace__slug="other").count() == 1


@pytest.mark.django_db
def test_it_connects_only_handles_that_exist(password: str) -> None:
    seed()
    for graph in Graph.objects.all():
        points = {
            (node.key, point["type"], point["id"])
            for node in Node.objects.filter(graph=graph)
            for side in node.handles.values()
            for point in side
        }
        for edge in graph.edges.select_related("source", "target"):
            assert (edge.source.key, "out", edge.source_handle) in points
            assert (edge.target.key, "in", edge.target_handle) in points


@pytest.mark.django_db
def test_it_draws_no_two_nodes_of_a_sheet_in_one_place(password: str) -> None:
    seed()
    places = list(Node.objects.values_list("sheet_id", "pos_x", "pos_y"))
    assert len(places) == len(set(places))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "folders"), [("en", ["Customer service", "Warehouse"]), ("fr", ["Entrepôt", "Service client"])]
)
def test_it_creates_a_company_with_folders_and_use_cases(password: str, language: str, folders: list[str]) -> None:
    assert "two folders and twelve use cases" in seed(language=language)
    assert Company.objects.get().name == "Northwind Logistics"
    assert [folder.name for folder in Folder.objects.all()] == folders
    assert [folder.use_cases.count() for folder in Folder.objects.all()] == [6, 6]
    assert [bool(folder.executive_summary) for folder in Folder.objects.all()].count(True) == 1
    places = [Matrix.of(case.folder.matrix_config).place(case.data) for case in UseCase.objects.all() if case.folder]
    assert len({place.quadrant for place in places}) >= 3
    assert sum(bool(place.unrated) for place in places) == 1
    began = Object.objects.filter(type__in=["company", "folder", "usecase"]).exclude(as_recorded=None)
    assert began.count() == 15


@pytest.mark.django_db
def test_its_records_are_as_many_and_as_full_in_every_language(password: str) -> None:
    shapes = []
    for language in LANGUAGES:
        import_demo_records(Workspace.objects.create(slug=language, name=language), language)
        cases = UseCase.objects.filter(workspace__slug=language).order_by("created_at")
        shapes.append([(case.data.keys(), case.data["valueScores"], case.status) for case in cases])
    assert shapes[0] == shapes[1]


@pytest.mark.django_db
def test_it_does_nothing_the_second_time(password: str) -> None:
    seed()
    assert "no demo data needed" in seed()
    assert Graph.objects.count() == 3


@pytest.mark.django_db
def test_it_does_nothing_in_a_database_that_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEMO_PASSWORD", raising=False)
    Workspace.objects.create(slug="mine", name="Mine")
    seed()
    assert not Graph.objects.exists()


@pytest.mark.django_db
def test_it_needs_a_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMO_PASSWORD", "")
    with pytest.raises(CommandError, match="DEMO_PASSWORD"):
        seed()
    assert not Workspace.objects.exists()


@pytest.mark.django_db
def test_the_records_are_in_the_language_that_the_environment_names(
    password: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEMO_LANGUAGE", "fr")
    seed()
    assert "logistique" in Company.objects.get().industry.lower()
