import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.providers.demo_questions import understand


@pytest.mark.parametrize(
    ("text", "kind", "subject", "language"),
    [
        ("What does fetch-api do?", "detail", "fetch-api", "en"),
        ("what does the Fetch API node do in this graph", "detail", "Fetch API", "en"),
        ("explain {{node:fetch-api}}", "detail", "fetch-api", "en"),
        ("how does filter-active work?", "detail", "filter-active", "en"),
        ("Que fait le nœud « fetch-api » ?", "detail", "fetch-api", "fr"),
        ("À quoi sert root ?", "detail", "root", "fr"),
        ("What happens after fetch-api?", "after", "fetch-api", "en"),
        ("what comes after the parser, and what does it do?", "after", "parser", "en"),
        ("Que se passe-t-il après fetch-api ?", "after", "fetch-api", "fr"),
        ("what happens before display-html?", "before", "display-html", "en"),
        ("Qu'est-ce qui vient avant return ?", "before", "return", "fr"),
        ("What happens when the API fails?", "failure", "API", "en"),
        ("what happens if fetch-api returns an error?", "failure", "fetch-api", "en"),
        ("Que se passe-t-il quand l’API échoue ?", "failure", "API", "fr"),
        ("How are errors handled?", "failure", "", "en"),
        ("Que se passe-t-il lorsqu'une erreur survient ?", "failure", "", "fr"),
        ("Find the nodes that filter", "find", "filter", "en"),
        ("where is the error handler?", "find", "error handler", "en"),
        ("Trouve les nœuds qui filtrent", "find", "filtrent", "fr"),
        ("Où est error-handler ?", "find", "error-handler", "fr"),
        ("What is in this graph?", "overview", "", "en"),
        ("Explain what this workflow does", "overview", "", "en"),
        ("describe the nodes of this graph", "overview", "", "en"),
        ("Qu'y a-t-il dans ce graphe ?", "overview", "", "fr"),
        ("Résume ce workflow", "overview", "", "fr"),
        ("Hello!", "help", "", "en"),
        ("Bonjour", "help", "", "fr"),
        ("add a retry before the parser", "change", "", "en"),
        ("Ajoute une étape après root", "change", "", "fr"),
        ("NBA players", "other", "NBA players", "en"),
        ("", "other", "", "en"),
    ],
)
def test_it_understands(text, kind, subject, language):
    question = understand(text)
    assert (question.kind, question.subject, question.language) == (kind, subject, language)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Supprime error-handler", "fr"),
        ("Déplace fetch-api à droite", "fr"),
        ("Renommer root en Start", "fr"),
        ("Mets url de fetch-api à https://a.example", "fr"),
        ("Delete error-handler", "en"),
        ("Move fetch-api to the right", "en"),
        ("Tidy up", "en"),
    ],
)
def test_whoever_asks_for_a_change_is_answered_in_their_language(text, language):
    question = understand(text)
    assert (question.kind, question.language) == ("change", language)


@pytest.mark.parametrize(
    ("text", "kind", "names", "words"),
    [
        ("Rename fetch-api to Get players", "rename", ("fetch-api",), {"name": "Get players"}),
        ("Renomme le nœud « Fetch players » en « Récupérer »", "rename", ("Fetch players",), {"name": "Récupérer"}),
        ("Change the name of root to Begin.", "rename", ("root",), {"name": "Begin"}),
        ("add a filter before display-html", "insert", ("display-html",), {"what": "filter", "side": "before"}),
        ("Ajoute un filtre après fetch-api", "insert", ("fetch-api",), {"what": "filtre", "side": "après"}),
        ("Delete the error-handler node", "delete", ("error-handler",), {}),
        ("Supprime root et return", "delete", ("root", "return"), {}),
        ("connect sort-stats to return", "connect", ("sort-stats", "return"), {}),
        ("Connecte sort-stats à return", "connect", ("sort-stats", "return"), {}),
        ("disconnect root from fetch-api", "disconnect", ("root", "fetch-api"), {}),
        ("Move root to 100, 250", "move", ("root",), {"x": "100", "y": "250"}),
        ("Déplace root à droite", "move", ("root",), {"way": "droite"}),
        ("move sort-stats to the sheet main", "move", ("sort-stats",), {"sheet": "main"}),
        ("Set timeoutMs of fetch-api to 5000", "set", ("fetch-api",), {"field": "timeoutMs", "value": "5000"}),
        ("Mets level de error-handler à warn", "set", ("error-handler",), {"field": "level", "value": "warn"}),
        ('replace "10" with "20" in filter-active', "replace", ("filter-active",), {"old": "10", "new": "20"}),
        ("Remplace « 10 » par « 20 » dans filter-active", "replace", ("filter-active",), {"old": "10", "new": "20"}),
        ("Tidy up the graph", "arrange", (), {}),
        ("Réorganise le graphe", "arrange", (), {}),
    ],
)
def test_it_understands_changes(text, kind, names, words):
    question = understand(text)
    assert question.kind == "change"
    assert question.request is not None
    assert (question.request.kind, question.request.names, question.request.words) == (kind, names, words)


@pytest.mark.parametrize(
    "text", ["si " * 20_000, "what is " * 10_000, "s'" * 30_000, "{{node:" * 9_000, "!" * 90_000, "move a " * 9_000]
)
def test_it_reads_no_more_than_a_question_of_a_long_text(text):
    started = time.process_time()
    understand(text)
    assert time.process_time() - started < 5


@given(st.text())
def test_it_takes_any_text(text):
    assert understand(text).language in {"en", "fr"}
