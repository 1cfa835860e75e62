import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from graphs.models import Edge, Graph, Membership, Node, NodeType, Sheet, Workspace
from tests.cast import signed_in
from tests.graphs.admin.staff import auditor, mere_staff, superuser

AUTOCOMPLETE = "/admin/autocomplete/?app_label=graphs&model_name=membership&field_name=user&term="
MODELS = (Graph, Sheet, Node, Edge, NodeType)
pytestmark = pytest.mark.django_db


@pytest.fixture
def foreign(other_workspace: Workspace) -> Graph:
    graph = Graph.objects.create(workspace=other_workspace, key="secret", name="Secret plans")
    sheet = Sheet.objects.create(graph=graph, key="main", name="Secret sheet")
    nodes = [Node.objects.create(graph=graph, sheet=sheet, key=key, name=f"Secret {key}", type="x") for key in "ab"]
    Edge.objects.create(graph=graph, sheet=sheet, key="secret-edge", source=nodes[0], target=nodes[1])
    NodeType.objects.create(workspace=other_workspace, key="secret-type", display_name="Secret type")
    return graph


@pytest.fixture
def own(nba: Graph) -> Graph:
    NodeType.objects.create(workspace=nba.workspace, key="api-call", display_name="API call")
    return nba


def listing(model: type) -> str:
    return reverse(f"admin:graphs_{model.__name__.lower()}_changelist")


def detail(row: object) -> str:
    return reverse(f"admin:graphs_{type(row).__name__.lower()}_change", args=[row.pk])  # type: ignore[attr-defined]


def page(client: Client, address: str, status: int = 200) -> str:
    response = client.get(address)
    assert response.status_code == status, address
    return response.content.decode()


@pytest.mark.parametrize("model", MODELS)
def test_a_workspace_admin_sees_their_own_rows_only(model: type, own: Graph, foreign: Graph) -> None:
    client = auditor(own.workspace)
    text = page(client, listing(model))
    assert f"{model.objects.filter(**_of(model, own)).count()} {model._meta.verbose_name}" in text  # type: ignore[attr-defined]
    assert "ecret" not in text
    assert "Other" not in text


def _of(model: type, graph: Graph) -> dict[str, object]:
    return {"workspace": graph.workspace} if model in {Graph, NodeType} else {"graph": graph}


@pytest.mark.parametrize("model", MODELS)
def test_a_foreign_row_is_absent(model: type, own: Graph, foreign: Graph) -> None:
    client = auditor(own.workspace)
    row = model.objects.get(**_of(model, foreign)) if model is not Node else foreign.nodes.first()  # type: ignore[attr-defined]
    page(client, detail(row), 404)
    page(client, detail(row).replace("change", "history"), 404)
    absent = reverse(f"admin:graphs_{model.__name__.lower()}_change", args=[999_999])
    page(client, absent, 404)


@pytest.mark.parametrize("model", MODELS)
def test_asking_for_foreign_rows_by_filter_finds_none(model: type, own: Graph, foreign: Graph) -> None:
    client = auditor(own.workspace)
    queries = ["workspace=other", "q=secret"]
    if model not in {Graph, NodeType}:
        queries.append(f"graph__id__exact={foreign.pk}")
    for query in queries:
        assert f"0 {model._meta.verbose_name_plural}" in page(client, f"{listing(model)}?{query}")  # type: ignore[attr-defined]


@pytest.mark.parametrize("model", MODELS)
def test_mere_staff_sees_nothing(model: type, own: Graph) -> None:
    client = mere_staff(own.workspace)
    page(client, listing(model), 403)
    page(client, detail(model.objects.first()), 404)  # type: ignore[attr-defined]
    assert "graphs/graph" not in page(client, reverse("admin:index"))


@pytest.mark.parametrize("model", MODELS)
def test_a_superuser_sees_all_and_changes_nothing(model: type, own: Graph, foreign: Graph) -> None:
    client = superuser()
    text = page(client, listing(model))
    assert f"{model.objects.count()} {model._meta.verbose_name_plural}" in text  # type: ignore[attr-defined]
    assert 'name="action"' not in text
    row = model.objects.first()  # type: ignore[attr-defined]
    assert 'name="_save"' not in page(client, detail(row))
    assert client.post(detail(row), {"name": "changed"}).status_code == 403
    for what in ("add", "delete"):
        address = listing(model) + ("add/" if what == "add" else f"{row.pk}/delete/")
        assert client.post(address, {"post": "yes"}).status_code == 403
    client.post(listing(model), {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"})
    assert model.objects.filter(pk=row.pk).exists()  # type: ignore[attr-defined]


@pytest.mark.parametrize("model", MODELS)
def test_a_list_needs_as_many_queries_for_many_rows(
    model: type, own: Graph, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client = superuser()
    sheet = own.sheets.get()
    for i in range(30):
        graph = Graph.objects.create(workspace=own.workspace, key=f"g{i}", name=f"Graph {i}")
        of_it = Sheet.objects.create(graph=graph, key="main", name="Main")
        nodes = [Node.objects.create(graph=graph, sheet=of_it, key=key, type="x") for key in "ab"]
        Edge.objects.create(graph=graph, sheet=sheet, key=f"e{i}", source=nodes[0], target=nodes[1])
        NodeType.objects.create(workspace=own.workspace, key=f"t{i}", display_name=f"Type {i}")
    with django_assert_max_num_queries(6):
        page(client, listing(model))


def test_a_node_shows_its_code_as_text(own: Graph) -> None:
    node = own.nodes.get(key="fetch-api")
    node.process = "<script>alert(1)</script>"
    node.save()
    text = page(auditor(own.workspace), detail(node))
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "https://example.org" in text


def test_a_graph_leads_to_its_page_for_members_only(own: Graph, foreign: Graph) -> None:
    client = superuser()
    Membership.objects.create(user=User.objects.get(username="root"), workspace=own.workspace)
    assert "/graphs/nba/?workspace=demo" in page(client, detail(own))
    assert "/graphs/secret/" not in page(client, detail(foreign))


def test_nul_in_a_query_is_refused(own: Graph) -> None:
    page(superuser(), listing(Graph) + "?name=%00", 400)
    page(signed_in(User.objects.get(username="root")), AUTOCOMPLETE + "%00", 400)


def test_who_is_not_signed_in_is_sent_to_sign_in(own: Graph, client: Client) -> None:
    assert "/admin/login/" in client.get(listing(Graph)).headers["Location"]
    page(client, reverse("admin:login"))
