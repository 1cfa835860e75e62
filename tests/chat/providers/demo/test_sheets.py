"""What the demo does with sheets that people name: it proposes what there is for them, and takes none for a node."""

from typing import Any

import pytest

from graphs.models import Node, Sheet
from graphs.objects.headers import object_for
from graphs.objects.refs import Ref
from tests.chat.providers.demo.conversing import Conversation
from tests.chat.providers.demo.recording import about
from tests.seeded import World, world

pytestmark = pytest.mark.django_db


@pytest.fixture
def here() -> World:
    """The graph nba with the sheets Main and Archive, and nodes that are called as they are."""
    here = world()
    Sheet.objects.filter(graph=here.nba).exclude(key="main").delete()
    Sheet.objects.filter(graph=here.nba).update(name="Main", position=0)
    Sheet.objects.create(graph=here.nba, key="archive", name="Archive", position=1)
    Node.objects.filter(graph=here.nba, key="root").update(name="Archive")
    Node.objects.filter(graph=here.nba, key="return").update(name="Sheet Archive")
    return here


def talk(here: World) -> Conversation:
    return Conversation(here.alice, object_for(here.alice, Ref("graph", "nba")))


def proposed(asked: Conversation) -> list[tuple[str, dict[str, Any]]]:
    calls = ((tool, arguments) for tool, arguments in asked.calls if tool.startswith("propose_"))
    return [(tool, {name: value for name, value in given.items() if name != "reason"}) for tool, given in calls]


@pytest.mark.parametrize(
    ("text", "tool", "arguments"),
    [
        ("delete the sheet Archive", "delete_sheet", {"sheetKey": "archive"}),
        ("Please remove sheet archive and all its nodes.", "delete_sheet", {"sheetKey": "archive"}),
        ("delete the Archive sheet", "delete_sheet", {"sheetKey": "archive"}),
        ("supprime la feuille Archive", "delete_sheet", {"sheetKey": "archive"}),
        ("Supprime la feuille « Archive » avec ses nœuds", "delete_sheet", {"sheetKey": "archive"}),
        ("rename sheet Archive to Old things", "update_sheet", {"sheetKey": "archive", "name": "Old things"}),
        ('Rename the sheet "Archive" to "Old"', "update_sheet", {"sheetKey": "archive", "name": "Old"}),
        ("set the name of the sheet main to Start", "update_sheet", {"sheetKey": "main", "name": "Start"}),
        ("renomme la feuille Archive en Anciens", "update_sheet", {"sheetKey": "archive", "name": "Anciens"}),
        ("Pourrais-tu renommer la feuille Archive en Été", "update_sheet", {"sheetKey": "archive", "name": "Été"}),
        ("move the sheet Archive before Main", "update_sheet", {"sheetKey": "archive", "position": 0}),
        ("put sheet Main after the sheet Archive", "update_sheet", {"sheetKey": "main", "position": 1}),
        ("make the sheet Archive the first", "update_sheet", {"sheetKey": "archive", "position": 0}),
        ("move the sheet Main to position 9", "update_sheet", {"sheetKey": "main", "position": 1}),
        ("déplace la feuille Main après la feuille Archive", "update_sheet", {"sheetKey": "main", "position": 1}),
        ("mets la feuille Archive en première position", "update_sheet", {"sheetKey": "archive", "position": 0}),
        ("add a sheet called Reports", "create_sheet", {"name": "Reports"}),
        ("create a new sheet", "create_sheet", {"name": "New sheet"}),
        ("ajoute une feuille nommée Rapports", "create_sheet", {"name": "Rapports"}),
        ("crée une nouvelle feuille", "create_sheet", {"name": "Nouvelle feuille"}),
    ],
)
def test_it_proposes_what_there_is_for_sheets(here: World, text: str, tool: str, arguments: dict[str, Any]) -> None:
    asked = talk(here)
    answer = asked.ask(text)
    assert proposed(asked) == [(f"propose_{tool}", arguments)], answer


def test_several_sheets_are_several_proposals(here: World) -> None:
    asked = talk(here)
    asked.ask("delete the sheets Main and Archive")
    assert proposed(asked) == [("propose_delete_sheet", {"sheetKey": key}) for key in ("main", "archive")]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("rename the sheet", "Which sheet do you mean: “Main” and “Archive”?"),
        ("delete this sheet", "Which sheet"),
        ("renomme la feuille", "De quelle feuille"),
        ("rename the sheet Archive", "What shall the sheet “Archive” be called"),
        ("renomme la feuille Archive", "Comment la feuille « Archive » doit-elle s'appeler"),
        ("delete the sheet fetch-api", "No sheet is called “fetch-api”. There are: “Main” and “Archive”."),
        ("supprime la feuille fetch-api", "Aucune feuille ne s'appelle « fetch-api »"),
        ("move the sheet Main before Main", "at its own place"),
        ("connect the sheet Main to the sheet Archive", "Of sheets I can propose"),
        ("move the sheet Archive to the right", "Of sheets I can propose"),
        ("set colour of the sheet Archive to red", "Of sheets I can propose"),
        ("déplace la feuille Archive à droite", "Pour les feuilles, je peux"),
    ],
)
def test_it_asks_or_says_what_it_cannot(here: World, text: str, told: str) -> None:
    asked = talk(here)
    assert told in asked.ask(text)
    assert proposed(asked) == []


@pytest.mark.parametrize(
    ("text", "tool", "key"),
    [
        ("delete the node Archive", "delete_node", "root"),
        ("supprime le nœud Archive", "delete_node", "root"),
        ('delete "Sheet Archive"', "delete_node", "return"),
        ("move fetch-api to the sheet archive", "move_node", "fetch-api"),
    ],
)
def test_a_node_is_one_where_that_is_said(here: World, text: str, tool: str, key: str) -> None:
    asked = talk(here)
    answer = asked.ask(text)
    ((called, arguments),) = proposed(asked)
    assert (called, arguments["nodeKey"]) == (f"propose_{tool}", key), answer


def test_records_have_no_sheets(here: World) -> None:
    asked = about(here, "Warehouse")
    assert "Sheets belong to graphs" in asked.ask("delete the sheet Archive")
    assert proposed(asked) == []
