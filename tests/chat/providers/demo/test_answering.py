"""What the demo does for a question, with the real tools, on the demo's graphs and on a kind of another application."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from chat.models import AlwaysSend
from graphs.models import Edge, Node, NodeType, Role
from graphs.objects.headers import object_for
from graphs.objects.refs import Ref
from graphs.site.access import Member
from tests.chat.providers.demo.conversing import Conversation
from tests.registered import pin, pins
from tests.seeded import World, world

pytestmark = pytest.mark.django_db

READ = ["search_nodes", "read_node_detail", "list_node_edges"]
LOOK = ["explore_neighborhood", "list_node_edges"]
LOAD = "load_object_tools"
CHECK = ["read_graph_overview", LOAD, "read_object", *["read_subgraph"] * 2, *["list_node_edges"] * 9]
BESIDE = [LOAD, "search_objects"]
Row = dict[str, Any]


@pytest.fixture
def here() -> World:
    return world()


@pytest.fixture
def lamps(here: World) -> Iterator[dict[str, AlwaysSend]]:
    """Objects of a kind that another application registered."""
    with pins():
        yield {name: pin(here.alice.workspace, name, part_type="light") for name in ("Desk lamp", "Ceiling", "Torch")}


def about(here: World, row: AlwaysSend) -> Conversation:
    return Conversation(here.alice, object_for(here.alice, Ref("pin", str(row.pk))))


def spare(like: Node, key: str, **values: Any) -> Node:
    made = {"graph": like.graph, "sheet": like.sheet, "type": "filter", "data": {"a": 1}, "handles": like.handles}
    return Node.objects.create(key=key, pos_x=0, pos_y=0, **made | values)


def connect(source: Node, target: Node) -> None:
    key = f"{source.key}:R-0--{target.key}:L-0"
    ends = {"source": source, "source_handle": "R-0", "target": target, "target_handle": "L-0"}
    Edge.objects.create(graph=source.graph, sheet=source.sheet, key=key, **ends)


@pytest.mark.parametrize(
    ("question", "called", "told"),
    [
        ("What is in this graph?", ["read_graph_overview", *LOOK], ["9 nodes and 6 connections", "`transform` (1)"]),
        ("combien de noeuds", ["read_graph_overview", *LOOK], ["9 nœuds", "`transform` (1)", "- …"]),
        ("What does fetch-api do?", READ, ["`api-call`", "{{node:root}} → {{node:fetch-api}}", "```js", "timeoutMs"]),
        ("Que fait disconnected-note ?", READ, ["de type `note`", "rien ne vient après", "pas de code"]),
        ("What happens after root?", [*READ, *LOOK], ["→ {{node:error-handler}} (error)", "- …"]),
        ("What happens after fetch-api?", [*READ, *LOOK], ["{{node:display-html}} → {{node:return}}"]),
        ("Que se passe-t-il après le début ?", ["read_graph_overview", *LOOK], ["{{node:root}} → {{node:fetch-api}}"]),
        ("What happens after return?", [*READ, LOOK[0]], ["Nothing comes after {{node:return}}"]),
        ("what leads to display-html", [*READ, *LOOK], ["{{node:filter-active}} → {{node:display-html}}"]),
        ("What happens when the API fails?", READ[::2], ["{{node:fetch-api}} → {{node:error-handler}} (error)"]),
        ("what happens if filter-active fails?", READ[::2], ["no connection there is marked as an error path"]),
        ("how are errors handled?", [*READ[::2], READ[2]], ["{{node:fetch-api}} → {{node:error-handler}} (error)"]),
        ("find the errors", CHECK, ["9 of 9 nodes", "Nothing is connected to {{node:sort-stats}}."]),
        (
            "trouve les erreurs",
            CHECK,
            ["{{node:fetch-api}} → {{node:error-handler}} (error)", "connecté à {{node:sort-"],
        ),
        ("how many sheets?", ["read_graph_overview", *LOOK], ["Its sheets (2)", "Its types (9)"]),
        ("nombre de types", ["read_graph_overview", *LOOK], ["Ses feuilles (2)", "Ses types (9)"]),
        ("find the table", ["search_nodes"], ["- {{node:display-html}} (Table of players), `html`"]),
        ("Trouve les licornes", ["search_nodes"], ["Je n'ai rien trouvé pour « licornes »"]),
        ("what happens after unicorn?", ["search_nodes", *BESIDE], ["I found nothing for “unicorn”"]),
        ("NBA players", ["search_nodes"], ["I am not sure", "{{node:fetch-api}}", "What is here?"]),
        ("What changed lately?", ["read_graph_overview", LOAD, "read_history"], ["{{graph:nba}}"]),
        ("What is graph:nba?", [LOAD, "read_object"], ["{{graph:nba}}", "description"]),
        ("what is the purpose of this graph?", ["read_graph_overview", *LOOK], ["9 nodes and 6 connections"]),
        ("hello", [], ["What is here?"]),
        ("Bonjour", [], ["Qu'y a-t-il ici ?"]),
        ("improve the parser", [], ["I do not know this change"]),
        (f"Set notes of root to {'long ' * 200}", [], ["only the first 500 characters"]),
    ],
)
def test_a_question_about_a_graph(here: World, question: str, called: list[str], told: list[str]) -> None:
    conversation = Conversation(here.alice, here.nba)
    answer = conversation.ask(question)
    assert [name for name, _arguments in conversation.calls] == called
    assert [part for part in told if part not in answer] == []


def test_a_way_that_ends_is_not_marked_as_going_on(here: World) -> None:
    conversation = Conversation(here.alice, here.nba)
    assert "…" not in conversation.ask("what happens after fetch-api?")
    assert "- … and on from {{node:display-html}}" in conversation.ask("what happens after root?")
    assert "- … et la suite à partir de {{node:fetch-api}}" in conversation.ask("Qu'est-ce qui mène à return ?")


def test_a_way_that_goes_in_a_circle_is_not_marked_as_going_on(here: World) -> None:
    nodes = {node.key: node for node in Node.objects.filter(graph=here.nba)}
    connect(nodes["display-html"], nodes["root"])
    Edge.objects.filter(graph=here.nba, target=nodes["return"]).delete()
    assert "…" not in Conversation(here.alice, here.nba).ask("what happens after root?")


def test_a_way_of_more_nodes_than_are_shown_says_where_it_goes_on(here: World) -> None:
    root = Node.objects.get(graph=here.nba, key="root")
    for number in range(60):
        connect(root, spare(root, f"spare-{number}"))
    answer = Conversation(here.alice, here.nba).ask("what happens after root?")
    assert "- … and on from {{node:" in answer


def test_types_that_are_left_out_are_counted(here: World) -> None:
    root = Node.objects.get(graph=here.nba, key="root")
    for number in range(30):
        spare(root, f"spare-{number:02}", type=f"kind-{number:02}")
    answer = Conversation(here.alice, here.nba).ask("which types of nodes are there?")
    assert "Its types (39): " in answer
    assert "14 more" in answer


def test_it_finds_what_is_empty_or_hangs_on_nothing(here: World) -> None:
    nodes = {node.key: node for node in Node.objects.filter(graph=here.nba)}
    Node.objects.filter(pk=nodes["filter-active"].pk).update(process="", data={})
    Node.objects.filter(pk=nodes["return"].pk).update(handles={"L": [{"id": "L-9", "type": "in"}]})
    Node.objects.filter(pk=nodes["fetch-api"].pk).update(handles={})
    answer = Conversation(here.alice, here.nba).ask("what is wrong here?")
    assert "Neither code nor data: {{node:filter-active}}." in answer
    found = next(line for line in answer.splitlines() if "hangs on a handle that is not there" in line)
    assert found.endswith(": {{node:return}}."), "a node without handles takes what is given"


def test_it_says_how_many_nodes_it_checked(here: World) -> None:
    root = Node.objects.get(graph=here.nba, key="root")
    for number in range(40):
        spare(root, f"spare-{number:02}")
    assert "I looked at 30 of 49 nodes" in Conversation(here.alice, here.nba).ask("find the errors")


def test_it_finds_nothing_wrong_where_nothing_is(here: World) -> None:
    Node.objects.filter(graph=here.nba, key="sort-stats").delete()
    assert "I found nothing wrong." in Conversation(here.alice, here.nba).ask("find the errors")


@pytest.mark.parametrize(
    ("question", "tool", "arguments"),
    [
        ("Rename fetch-api to Get", "update_node", {"nodeKey": "fetch-api", "updates": {"name": "Get"}}),
        ("Mets retries de fetch-api à 3", "update_node", {"nodeKey": "fetch-api", "updates": {"data": {"retries": 3}}}),
        ("set the code of root to return 1", "update_node", {"nodeKey": "root", "updates": {"process": "return 1"}}),
        ("set level of error-handler to 5", "update_node",
         {"nodeKey": "error-handler", "updates": {"data": {"level": "5"}}}),
        ('Replace "10" with "20" in filter-active', "update_node",
         {"nodeKey": "filter-active", "updates": {"processPatches": [{"search": "10", "replace": "20"}]}}),
        ("Déplace root à droite", "move_node", {"nodeKey": "root", "posX": 520, "posY": 0}),
        ("move sort-stats to 10, 20", "move_node", {"nodeKey": "sort-stats", "posX": 10, "posY": 20}),
        ("Move sort-stats to the sheet main", "move_node",
         {"nodeKey": "sort-stats", "posX": 0, "posY": 0, "sheet": "main"}),
        ("Delete disconnected-note", "delete_node", {"nodeKey": "disconnected-note"}),
        ("Connecte sort-stats à return", "create_edge",
         {"sourceKey": "sort-stats", "sourceHandle": "R-0", "targetKey": "return", "targetHandle": "L-0"}),
        ("disconnect fetch-api and root", "delete_edge", {"edgeKey": "root:R-0--fetch-api:L-0"}),
        ("add a filter", "create_node",
         {"typeKey": "filter", "sheet": "main", "name": "Filter", "posX": 0, "posY": -260}),
        ("Tidy up", "reorganize_layout", {}),
    ],
)  # fmt: skip
def test_a_change_of_a_graph(here: World, question: str, tool: str, arguments: Row) -> None:
    conversation = Conversation(here.alice, here.nba)
    said = conversation.ask(question)
    name, proposed = conversation.calls[-1]
    assert (name, {key: value for key, value in proposed.items() if key != "reason"}) == (f"propose_{tool}", arguments)
    assert proposed["reason"].rstrip(".") in re.sub(r"\{\{node:|\}\}|“|”|«\s|\s»", "", said)
    assert ("Nothing is changed yet" in said) != ("Rien n'est encore modifié" in said)


@pytest.mark.parametrize(
    ("question", "type_key", "cut", "ways"),
    [
        ("insert a log node between fetch-api and filter-active", "log-node", "fetch-api:R-0--filter-active:L-0",
         [("in", "fetch-api", "R-0"), ("out", "filter-active", "L-0")]),
        ("add a retry before display-html", "api-call", "filter-active:R-0--display-html:L-0",
         [("in", "filter-active", "R-0"), ("out", "display-html", "L-0")]),
        ("insert a log node between filter-active and fetch-api", "log-node", "fetch-api:R-0--filter-active:L-0",
         [("in", "fetch-api", "R-0"), ("out", "filter-active", "L-0")]),
        ("Insère un nœud log entre root et fetch-api", "log-node", "root:R-0--fetch-api:L-0",
         [("in", "root", "R-0"), ("out", "fetch-api", "L-0")]),
        ("Ajoute un filter après root", "filter", "root:R-0--fetch-api:L-0",
         [("in", "root", "R-0"), ("out", "fetch-api", "L-0")]),
    ],
)  # fmt: skip
def test_a_new_node_on_a_way(here: World, question: str, type_key: str, cut: str, ways: list[tuple[str, ...]]) -> None:
    conversation = Conversation(here.alice, here.nba)
    conversation.ask(question)
    deleting, creating = conversation.calls[-1][1]["actions"]
    new = creating["arguments"]
    assert (deleting["arguments"], new["typeKey"]) == ({"edgeKey": cut}, type_key)
    assert [(way["direction"], way["otherKey"], way["otherHandle"]) for way in new["edges"]] == ways


def test_a_type_on_a_later_page_is_found(here: World) -> None:
    described = "x" * 200
    for number in range(20):
        made = {"key": f"a-{number:02}", "display_name": f"A{described[1:]}", "description": described}
        NodeType.objects.create(workspace=here.nba.workspace, **made)
    conversation = Conversation(here.alice, here.nba)
    conversation.ask("insert a log node between fetch-api and filter-active")
    assert [arguments for name, arguments in conversation.calls if name == "list_available_node_types"][1]["offset"]
    assert conversation.calls[-1][1]["actions"][1]["arguments"]["typeKey"] == "log-node"


def test_what_it_proposes_in_french_stands_in_french_quotes(here: World) -> None:
    assert "« Tri »" in Conversation(here.alice, here.nba).ask("Renomme root en Tri")


def test_several_changes_in_one_sentence_are_one_batch(here: World) -> None:
    conversation = Conversation(here.alice, here.nba)
    conversation.ask("Rename fetch-api to Get, set level of error-handler to warn and delete disconnected-note")
    name, proposed = conversation.calls[-1]
    tools = [action["tool"] for action in proposed["actions"]]
    assert (name, tools) == (
        "propose_batch", ["propose_update_node", "propose_update_node", "propose_delete_node"]
    )  # fmt: skip


def test_what_is_deleted_together_is_decided_one_by_one(here: World) -> None:
    conversation = Conversation(here.alice, here.nba)
    conversation.ask("Delete disconnected-note and sort-stats")
    assert [arguments["nodeKey"] for _name, arguments in conversation.calls[-2:]] == ["disconnected-note", "sort-stats"]


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("connect disconnected-note to return", "it has no exit"),
        ("disconnect root from return", "No connection leads from"),
        ("rename unicorn to horse", "nothing for “unicorn”"),
    ],
)
def test_what_cannot_be_is_not_proposed(here: World, question: str, why: str) -> None:
    conversation = Conversation(here.alice, here.nba)
    assert why in conversation.ask(question)
    assert not any(name.startswith("propose_") for name, _arguments in conversation.calls)


def test_who_may_not_edit_is_told_so(here: World) -> None:
    viewer = Member(here.alice.user, here.alice.workspace, Role.VIEWER)
    conversation = Conversation(viewer, here.nba)
    assert "takes an editor" in conversation.ask("Rename fetch-api to Get")
    assert conversation.calls == []


@pytest.mark.parametrize(
    ("result", "told"),
    [
        ({"status": "applied", "changes": 3}, "It was approved; changes recorded: 3."),
        ({"status": "applied", "changes": 3, "asked": False}, "Nobody had to be asked: it is done;"),
        ({"status": "rejected", "feedback": "Not now."}, "Nothing was changed. The reason given: Not now."),
        ({"status": "expired"}, "Nobody decided in time."),
        ({"status": "pending"}, "It still waits for a decision."),
        ({"status": "failed", "error": "The price is negative."}, "That cannot be done: The price is negative."),
        ({"error": "There is no such node."}, "That cannot be done: There is no such node."),
    ],
)  # fmt: skip
def test_it_reports_a_decision_exactly(here: World, result: Row, told: str) -> None:
    answer = Conversation(here.alice, here.nba, lambda name, arguments: result).ask("Rename root to Begin")
    assert told in answer
    assert ("approved" in answer) == (result.get("status") == "applied" and "asked" not in result)


def test_what_became_stale_is_read_again_and_proposed_anew_once(here: World) -> None:
    def decide(name: str, arguments: Row) -> Row:
        Node.objects.filter(graph=here.nba, key="return").update(name="Elsewhere")
        return {"proposalId": "p", "status": "stale"}

    conversation = Conversation(here.alice, here.nba, decide)
    answer = conversation.ask("Rename return to End")
    assert [name for name, _arguments in conversation.calls] == ["propose_update_node", *READ, "propose_update_node"]
    assert "Ask me again" in answer


@pytest.mark.parametrize(
    "again",
    ["Your proposal “Rename it.” could not be applied.\nLook at how it is now.", "Réessaie", "try again", "go on"],
)
def test_it_proposes_again_what_was_asked_before(here: World, again: str) -> None:
    conversation = Conversation(here.alice, here.nba, lambda name, arguments: {"status": "rejected"})
    conversation.ask("Rename root to Begin")
    conversation.ask(again)
    assert conversation.calls[-1][1]["updates"] == {"name": "Begin"}


def test_a_conversation_about_no_object(here: World) -> None:
    conversation = Conversation(here.alice, None)
    assert "- {{graph:nba}}" in conversation.ask("What is here?")
    assert "about no single object" in conversation.ask("what changed?")
    conversation.ask("Rename NBA statistics to Basketball")
    assert conversation.calls[-1][1]["updates"] == {"name": "Basketball"}


@pytest.mark.parametrize(
    ("question", "called", "told"),
    [
        ("What is here?", ["read_object"], ["{{pin:Desk lamp}}", "- part_type: light"]),
        ("Qu'y a-t-il ici ?", ["read_object"], ["{{pin:Desk lamp}}"]),
        ("show the torch", ["search_objects", "read_object"], ["{{pin:Torch}}", "- part_type: light"]),
        ("what is the part type of Torch?", ["search_objects", "read_object"], ["- part_type: light"]),
        ("show pin:999", ["read_object"], ["That cannot be done: There is no 'pin:999'"]),
        ("find light", ["search_objects"], ["- {{pin:Torch}}", "- {{pin:Ceiling}}", "- {{pin:Desk lamp}}"]),
        ("List the pins", ["list_objects"], ["I count 3:", "- {{pin:Ceiling}}"]),
        ("combien de pins", ["list_objects"], ["J'en compte 3"]),
        ("list the unicorns", ["list_objects", "list_objects", "search_objects"], ["no kind of object", "pin"]),
        ("what changed?", ["read_object", "read_history"], ["No change of {{pin:Desk lamp}}"]),
        ("what happens after Torch?", ["search_objects", "read_object"], ["{{pin:Torch}}"]),
    ],
)
def test_a_question_about_an_object(
    here: World, lamps: dict[str, AlwaysSend], question: str, called: list[str], told: list[str]
) -> None:
    conversation = about(here, lamps["Desk lamp"])
    answer = conversation.ask(question)
    for name, row in lamps.items():
        answer = answer.replace(f"{{{{pin:{row.pk}}}}}", f"{{{{pin:{name}}}}}")
    assert [name for name, _arguments in conversation.calls] == called
    assert [part for part in told if part not in answer] == []


@pytest.mark.parametrize(
    ("question", "tool", "arguments"),
    [
        ("Rename it to Lamp", "update_object", {"object": "Desk lamp", "updates": {"object_key": "Lamp"}}),
        ("rename the torch to Sun", "update_object", {"object": "Torch", "updates": {"object_key": "Sun"}}),
        ("set part type of Torch to dark", "update_object", {"object": "Torch", "updates": {"part_type": "dark"}}),
        ("mets part key à 5", "update_object", {"object": "Desk lamp", "updates": {"part_key": 5}}),
        ('replace "light" with "dark" in Ceiling', "update_object",
         {"object": "Ceiling", "patches": [{"path": "part_type", "search": "light", "replace": "dark"}]}),
        ("delete this", "delete_object", {"object": "Desk lamp"}),
        ("add a pin called Candle", "create_object", {"kind": "pin", "fields": {"object_key": "Candle"}}),
        ("move Torch to Ceiling", "move_object", {"object": "Torch", "parent": "Ceiling"}),
    ],
)  # fmt: skip
def test_a_change_of_an_object(
    here: World, lamps: dict[str, AlwaysSend], question: str, tool: str, arguments: Row
) -> None:
    conversation = about(here, lamps["Desk lamp"])
    conversation.ask(question)
    named = {name: f"pin:{row.pk}" for name, row in lamps.items()}
    expected = {key: named.get(value, value) if isinstance(value, str) else value for key, value in arguments.items()}
    name, proposed = conversation.calls[-1]
    assert (name, {key: value for key, value in proposed.items() if key != "reason"}) == (f"propose_{tool}", expected)


def test_what_is_proposed_names_objects_as_the_page_shows_them(here: World, lamps: dict[str, AlwaysSend]) -> None:
    said = about(here, lamps["Desk lamp"]).ask("Rename the torch to Sun")
    assert f"Rename {{{{pin:{lamps['Torch'].pk}}}}} to “Sun”." in said


def test_objects_without_a_page_are_named_by_their_titles(here: World) -> None:
    with pins(url=""):
        lamp = pin(here.alice.workspace, "Lamp", part_type="light")
        conversation = about(here, lamp)
        assert f"- **Lamp** (`pin:{lamp.pk}`)" in conversation.ask("list the pins")
        assert "{{" not in conversation.ask("rename it to Sun")


def test_objects_are_reached_from_a_conversation_about_a_graph(here: World, lamps: dict[str, AlwaysSend]) -> None:
    conversation = Conversation(here.alice, here.nba)
    answer = conversation.ask("list the pins")
    assert [name for name, _arguments in conversation.calls] == ["search_nodes", "load_object_tools", "list_objects"]
    assert f"{{{{pin:{lamps['Torch'].pk}}}}}" in answer
    conversation.ask("rename Torch to Sun")
    assert [name for name, _arguments in conversation.calls][-1] == "propose_update_object"
    assert "load_object_tools" not in {name for name, _arguments in conversation.calls}, "they are there already"


def test_nodes_and_objects_are_changed_in_one_batch(here: World, lamps: dict[str, AlwaysSend]) -> None:
    conversation = Conversation(here.alice, here.nba)
    conversation.ask("Rename root to Begin and rename Torch to Sun")
    actions = conversation.calls[-1][1]["actions"]
    assert [action["tool"] for action in actions] == ["propose_update_node", "propose_update_object"]


def test_it_goes_on_in_a_long_list(here: World, lamps: dict[str, AlwaysSend]) -> None:
    for number in range(60):
        last = pin(here.alice.workspace, f"Zz {number:02}")
    conversation = about(here, lamps["Torch"])
    assert "go on" in conversation.ask("list the pins")
    assert f"{{{{pin:{last.pk}}}}}" in conversation.ask("go on")
    assert conversation.calls == [("list_objects", {"kind": "pin", "offset": 50})]
