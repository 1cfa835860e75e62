import time

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from chat.providers.demo.sentences import quoted, subject, understand
from chat.subjects.graphs.subject import GraphSubject
from chat.subjects.subject import Subject


@pytest.mark.parametrize(
    ("text", "intent", "about", "language"),
    [
        ("What does fetch-api do?", "detail", "fetch-api", "en"),
        ("what does the Fetch API node do in this graph", "detail", "Fetch API", "en"),
        ("explain {{node:fetch-api}}", "detail", "fetch-api", "en"),
        ("show {{product:7}}", "detail", "product:7", "en"),
        ("how does filter-active work?", "detail", "filter-active", "en"),
        ("Que fait le nœud « fetch-api » ?", "detail", "fetch-api", "fr"),
        ("À quoi sert root ?", "detail", "root", "fr"),
        ("Montre-moi la lampe", "detail", "lampe", "fr"),
        ("What happens after fetch-api?", "after", "fetch-api", "en"),
        ("what comes after the parser, and what does it do?", "after", "parser", "en"),
        ("Where does root lead to?", "after", "root", "en"),
        ("Que se passe-t-il après fetch-api\u202f?", "after", "fetch-api", "fr"),
        ("Où mène root ?", "after", "root", "fr"),
        ("what happens before display-html?", "before", "display-html", "en"),
        ("what leads to display-html", "before", "display-html", "en"),
        ("Qu'est-ce qui vient avant return ?", "before", "return", "fr"),
        ("Qu'est-ce qui mène à return ?", "before", "return", "fr"),
        ("What happens when the API fails?", "failure", "API", "en"),
        ("what happens if fetch-api returns an error?", "failure", "fetch-api", "en"),
        ("Que se passe-t-il quand l’API échoue ?", "failure", "API", "fr"),
        ("How are errors handled?", "failure", "", "en"),
        ("find all errors", "errors", "", "en"),
        ("trouve les erreurs", "errors", "", "fr"),
        ("What is wrong here?", "errors", "", "en"),
        ("check this graph for mistakes", "errors", "", "en"),
        ("Is anything not connected?", "errors", "", "en"),
        ("which nodes are unconnected?", "errors", "", "en"),
        ("Qu'est-ce qui ne va pas dans ce graphe ?", "errors", "", "fr"),
        ("Y a-t-il des nœuds qui ne sont pas connectés ?", "errors", "", "fr"),
        ("Vérifie ce graphe", "errors", "", "fr"),
        ("Que se passe-t-il lorsqu'une erreur survient ?", "failure", "", "fr"),
        ("Find the nodes that filter", "find", "filter", "en"),
        ("where is the error handler?", "find", "error handler", "en"),
        ("Trouve les nœuds qui filtrent", "find", "filtrent", "fr"),
        ("Où est error-handler ?", "find", "error-handler", "fr"),
        ("What is in this graph?", "overview", "", "en"),
        ("what is here", "overview", "", "en"),
        ("Explain what this workflow does", "overview", "", "en"),
        ("describe the nodes of this graph", "overview", "", "en"),
        ("how many nodes are there?", "overview", "", "en"),
        ("combien de noeuds", "overview", "", "fr"),
        ("What is the number of edges?", "overview", "", "en"),
        ("which types of nodes are there?", "overview", "", "en"),
        ("nombre de feuilles", "overview", "", "fr"),
        ("Il y a combien de types de nœuds ?", "overview", "", "fr"),
        ("Qu'y a-t-il dans ce graphe ?", "overview", "", "fr"),
        ("Résume ce workflow", "overview", "", "fr"),
        ("List the products", "list", "products", "en"),
        ("how many products are there?", "list", "products", "en"),
        ("Liste les produits", "list", "produits", "fr"),
        ("What changed lately?", "history", "", "en"),
        ("who changed fetch-api?", "history", "fetch-api", "en"),
        ("Qu'est-ce qui a changé récemment ?", "history", "", "fr"),
        ("Hello!", "help", "", "en"),
        ("Bonjour", "help", "", "fr"),
        ("are there any errors?", "errors", "", "en"),
        ("What happens when fetch-api fails, and what after that?", "failure", "fetch-api", "en"),
        ("Is there a filter?", "find", "filter", "en"),
        ("Quels sont les produits ?", "list", "produits", "fr"),
        ("what happened to fetch-api?", "history", "fetch-api", "en"),
        ("what changed in fetch-api last week?", "history", "fetch-api", "en"),
        ("c'est quoi ?", "overview", "", "fr"),
        ("go on", "more", "", "en"),
        ("improve the parser", "unknown", "", "en"),
        ("NBA players", "other", "NBA players", "en"),
        ("comment vont les lampes", "other", "comment vont les lampes", "fr"),
        ("", "other", "", "en"),
    ],
)
def test_it_understands_questions(text: str, intent: str, about: str, language: str) -> None:
    (understood,) = understand(text)
    words = subject(next(iter(understood.words.values()), ""))
    assert (understood.name, words, understood.language) == (intent, about, language)


@pytest.mark.parametrize(
    ("text", "intent", "language", "words"),
    [
        ("Rename fetch-api to Get players", "rename", "en", {"x": "fetch-api", "name": "Get players"}),
        ("Renomme-le en Début", "rename", "fr", {"name": "Début"}),
        ("Renomme le nœud « Fetch players » en « Récupérer »", "rename", "fr",
         {"x": "Fetch players", "name": "Récupérer"}),
        ("Change the name of root to Begin.", "rename", "en", {"x": "root", "name": "Begin"}),
        ("add a retry before the parser", "insert", "en", {"what": "retry", "side": "before", "x": "parser"}),
        ("insert a log node between A1 and B1", "insert", "en", {"what": "log", "x": "A1", "y": "B1"}),
        ("Ajoute un filtre nommé Tri après root", "insert", "fr",
         {"what": "filtre", "name": "Tri", "side": "après", "x": "root"}),
        ("Add a product called Lamp", "create", "en", {"what": "product", "name": "Lamp"}),
        ("Delete the error-handler node", "delete", "en", {"x": "error-handler"}),
        ("Supprime error-handler", "delete", "fr", {"x": "error-handler"}),
        ("connect sort-stats to return", "connect", "en", {"x": "sort-stats", "y": "return"}),
        ("Connecte sort-stats à return", "connect", "fr", {"x": "sort-stats", "y": "return"}),
        ("disconnect root from fetch-api", "disconnect", "en", {"x": "root", "y": "fetch-api"}),
        ("Remove the edge between root and return", "disconnect", "en", {"x": "root", "y": "return"}),
        ("Please move root to 100, 250", "move", "en", {"x": "root", "left": "100", "top": "250"}),
        ("Déplace root à droite", "move", "fr", {"x": "root", "way": "droite"}),
        ("move sort-stats to the sheet main", "move", "en", {"x": "sort-stats", "sheet": "main"}),
        ("move Lamp to Shelf", "move", "en", {"x": "Lamp", "parent": "Shelf"}),
        ("Set timeoutMs of fetch-api to 5000", "set", "en", {"field": "timeoutMs", "x": "fetch-api", "value": "5000"}),
        ("set the price to 5", "set", "en", {"field": "price", "value": "5"}),
        ("change the price of the lamp to 5", "set", "en", {"field": "price", "x": "lamp", "value": "5"}),
        ("describe root as a beginning", "set", "en", {"x": "root", "value": "a beginning"}),
        ("Mets level de error-handler à warn", "set", "fr", {"field": "level", "x": "error-handler", "value": "warn"}),
        ('replace "10" with "20" in filter-active', "replace", "en", {"old": "10", "new": "20", "x": "filter-active"}),
        ("Remplace « 10 » par « 20 » dans root", "replace", "fr", {"old": "10", "new": "20", "x": "root"}),
        ("I want to rename root to Begin", "rename", "en", {"x": "root", "name": "Begin"}),
        ("Tidy up the graph", "arrange", "en", {}),
        ("Réorganise le graphe", "arrange", "fr", {}),
    ],
)  # fmt: skip
def test_it_understands_changes(text: str, intent: str, language: str, words: dict[str, str]) -> None:
    (understood,) = understand(text)
    values = {"old", "new", "name", "value"}
    said = {name: (quoted if name in values else subject)(text) for name, text in understood.words.items() if text}
    assert (understood.name, understood.language, said) == (intent, language, words)


@pytest.mark.parametrize(
    ("text", "intents"),
    [
        ("Rename a1 to b1, delete c1 and d1 and then connect e1 to f1", ["rename", "delete", "connect"]),
        ("Supprime root et renomme return en Fin", ["delete", "rename"]),
        ('Rename a1 to "b1 and delete c1"', ["rename"]),
        ("connect a1 and b1", ["connect"]),
        ("delete a1 and what happens after b1?", ["delete"]),
    ],
)
def test_several_changes_may_stand_in_one_sentence(text: str, intents: list[str]) -> None:
    assert [intent.name for intent in understand(text)] == intents


def test_it_is_what_the_change_before_was_about() -> None:
    renaming, moving = understand("Rename root to Begin and move it to the right")
    assert (renaming.words["x"], moving.words["x"]) == ("root", "root")


@pytest.mark.parametrize(
    "text", ["si " * 20_000, "what is " * 10_000, "s'" * 30_000, "{{node:" * 9_000, "!" * 90_000,
             "move a " * 9_000, "replace a with b " * 9_000, "set a of b " * 9_000, "delete a and " * 9_000],
)  # fmt: skip
def test_it_reads_no_more_than_a_question_of_a_long_text(text: str) -> None:
    started = time.process_time()
    understand(text)
    assert time.process_time() - started < 5


@given(st.text())
def test_it_takes_any_text(text: str) -> None:
    assert all(intent.language in {"en", "fr"} for intent in understand(text))


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("title", ["", "Desk lamp"])
@pytest.mark.parametrize("kind", [Subject(), GraphSubject()])
def test_it_knows_the_first_questions_that_the_panel_offers(kind: Subject, title: str, language: str) -> None:
    with translation.override(language):
        questions = [question for _icon, question in kind.welcome(title).questions]
    assert [question for question in questions if understand(question)[0].name == "other"] == []
