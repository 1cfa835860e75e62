import pytest
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from chat.admin.policy_forms import write_tools
from chat.models import Allowance, ValidationRule
from graphs.models import Graph, NodeType, Workspace
from rag.fetching.refusals import FetchRefused
from rag.fetching.rules import rules_of
from rag.models import FetchRule
from tests.cast import draw_nba
from tests.graphs.admin.staff import auditor, mere_staff, superuser

pytestmark = pytest.mark.django_db
MOVE = "propose_move_node"


def add(client: Client, model: type[Model], **fields: object) -> int:
    where = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_add")
    return client.post(where, {k: v for k, v in fields.items() if v is not None}).status_code


def address(row: Model, view: str = "change") -> str:
    return reverse(f"admin:chat_{row._meta.model_name}_{view}", args=[row.pk])


def explained(client: Client, **query: str) -> str:
    response = client.get(reverse("admin:chat_policy_explained"), query)
    assert response.status_code == 200
    return response.content.decode()


def test_a_workspace_admin_sets_rules_for_their_workspace(demo_workspace: Workspace) -> None:
    client = auditor(demo_workspace)
    assert add(client, ValidationRule, workspace=demo_workspace.pk, tool=MOVE) == 302
    assert add(client, ValidationRule, workspace=demo_workspace.pk, tool="all") == 302
    assert set(ValidationRule.objects.values_list("workspace__slug", "tool")) == {("demo", MOVE), ("demo", "")}
    assert add(client, ValidationRule, workspace=demo_workspace.pk, tool="all") == 200


def test_the_whole_site_is_for_superusers(demo_workspace: Workspace) -> None:
    client = auditor(demo_workspace)
    assert add(client, ValidationRule, workspace="", tool="all") == 200
    assert not ValidationRule.objects.exists()
    assert add(superuser(), ValidationRule, workspace="", tool="all") == 302
    rule = ValidationRule.objects.get()
    assert client.get(address(rule)).status_code == 404
    assert client.post(address(rule, "delete"), {"post": "yes"}).status_code == 404
    assert ValidationRule.objects.exists()


def test_other_workspaces_are_out_of_reach(demo_workspace: Workspace, other_workspace: Workspace) -> None:
    client = auditor(demo_workspace)
    assert add(client, ValidationRule, workspace=other_workspace.pk, tool="all") == 200
    assert add(client, Allowance, workspace=other_workspace.pk, tool=MOVE, what="node.posX") == 200
    rule = ValidationRule.objects.create(workspace=other_workspace)
    theirs = Allowance.objects.create(workspace=other_workspace, tool=MOVE, kind="node", field="posX")
    for row in (rule, theirs):
        for view in ("change", "delete"):
            assert client.get(address(row, view)).status_code == 404
            assert client.post(address(row, view), {"post": "yes", "workspace": demo_workspace.pk}).status_code == 404
    own = ValidationRule.objects.create(workspace=demo_workspace)
    assert client.post(address(own), {"workspace": other_workspace.pk, "tool": "all"}).status_code == 200
    own.refresh_from_db()
    assert own.workspace == demo_workspace
    assert ValidationRule.objects.count() == 2
    assert Allowance.objects.count() == 1


def test_mere_staff_sets_nothing(demo_workspace: Workspace) -> None:
    client = mere_staff(demo_workspace)
    assert add(client, ValidationRule, workspace=demo_workspace.pk, tool="all") == 403
    assert add(client, Allowance, workspace=demo_workspace.pk, tool=MOVE, what="node.posX") == 403
    assert client.get(reverse("admin:chat_policy_explained")).status_code == 403


def test_where_there_is_no_workspace_it_says_what_to_do(db: None) -> None:
    assert reverse("admin:graphs_workspace_add") in explained(superuser())


def test_an_allowance_says_who_gave_it(demo_workspace: Workspace, nba: Graph) -> None:
    client = auditor(demo_workspace)
    fields = {"workspace": demo_workspace.pk, "tool": MOVE, "what": "node.posX", "object_key": "nba"}
    assert add(client, Allowance, **fields, item_key="fetch-api") == 302
    given = Allowance.objects.get()
    assert (given.kind, given.field, given.object_key, given.item_key) == ("node", "posX", "nba", "fetch-api")
    assert given.given_by == User.objects.get(username="auditor")
    assert client.post(address(given), {**fields, "what": "node.", "item_key": ""}).status_code == 302
    given.refresh_from_db()
    assert (given.field, given.item_key) == ("", "")
    assert client.post(address(given, "delete"), {"post": "yes"}).status_code == 302
    assert not Allowance.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"tool": "search_nodes"}, {"tool": ""}, {"what": "node.absent"}, {"what": "edge.posX"}, {"what": "posX"},
        {"what": ""}, {"object_key": "absent"}, {"object_key": "theirs"}, {"object_key": "nba", "item_key": "absent"},
        {"workspace": ""},
    ],
)  # fmt: skip
def test_what_is_not_there_is_not_allowed(
    wrong: dict[str, str], demo_workspace: Workspace, other_workspace: Workspace, nba: Graph
) -> None:
    theirs = draw_nba(other_workspace)
    theirs.key = "theirs"
    theirs.save()
    fields = {"workspace": demo_workspace.pk, "tool": MOVE, "what": "node.posX", **wrong}
    assert add(auditor(demo_workspace), Allowance, **fields) == 200
    assert not Allowance.objects.exists()


def test_an_allowance_names_an_object_of_its_kind(demo_workspace: Workspace, other_workspace: Workspace) -> None:
    """A graph and a node type may have one key: which is meant follows from what may be changed."""
    NodeType.objects.create(workspace=demo_workspace, key="step", display_name="Step")
    NodeType.objects.create(workspace=other_workspace, key="theirs", display_name="Theirs")
    client = auditor(demo_workspace)
    fields = {"workspace": demo_workspace.pk, "tool": "propose_update_object", "what": "nodeType.icon"}
    for wrong in ({"object_key": "nba"}, {"object_key": "theirs"}, {"object_key": "step", "item_key": "step"}):
        assert add(client, Allowance, **fields, **wrong) == 200, wrong
    assert add(client, Allowance, **fields, object_key="step") == 302
    assert "node type step" in explained(client)
    assert add(client, Allowance, **{**fields, "what": "planet.size"}) == 200


def test_the_same_allowance_is_not_given_twice(demo_workspace: Workspace) -> None:
    client = auditor(demo_workspace)
    fields = {"workspace": demo_workspace.pk, "tool": MOVE, "what": "node.posX"}
    assert [add(client, Allowance, **fields) for _ in range(2)] == [302, 200]


def test_the_policy_is_told_in_words(demo_workspace: Workspace, other_workspace: Workspace) -> None:
    client = auditor(demo_workspace)
    assert len(write_tools()) >= 10
    assert explained(client).count("there is no allowance.") == len(write_tools())
    Allowance.objects.create(workspace=demo_workspace, tool=MOVE, kind="node", field="posX", object_key="nba")
    Allowance.objects.create(workspace=other_workspace, tool=MOVE, kind="node", field="width", object_key="secret")
    text = explained(client)
    assert "node: x: graph nba" in text
    assert "secret" not in text
    assert "For everything else a person is asked." in text
    ValidationRule.objects.create(workspace=demo_workspace, tool=MOVE)
    ValidationRule.objects.create(workspace=None)
    text = explained(client)
    for part in ("the workspace asks before this tool", "the whole site asks before every change", "mean nothing"):
        assert part in text, part


def test_a_foreign_policy_is_absent(demo_workspace: Workspace, other_workspace: Workspace) -> None:
    client = auditor(demo_workspace)
    for slug in ("other", "absent"):
        assert client.get(reverse("admin:chat_policy_explained"), {"workspace": slug}).status_code == 404
    assert "Other" in explained(superuser(), workspace="other")


def test_hosts_of_the_web_are_listed_as_they_are_compared(
    demo_workspace: Workspace, other_workspace: Workspace
) -> None:
    client = auditor(demo_workspace)
    assert add(client, FetchRule, workspace=demo_workspace.pk, host=" Bücher.DE. ", allows="on") == 302
    assert add(client, FetchRule, workspace=other_workspace.pk, host="example.org") == 200
    for wrong in (
        "https://example.org",
        "*.example.org",
        "localhost",
        "127.0.0.1",
        "0x7f.1",
        "a b",
        "xn--bcher-kva.de",
    ):
        assert add(client, FetchRule, workspace=demo_workspace.pk, host=wrong) == 200, wrong
    assert list(FetchRule.objects.values_list("host", "allows")) == [("xn--bcher-kva.de", True)]
    rules = rules_of(demo_workspace.pk)
    rules.check("www.xn--bcher-kva.de")
    with pytest.raises(FetchRefused):
        rules.check("example.org")
    rules_of(other_workspace.pk).check("example.org")
