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


@pytest.mark.parametrize("text", ["si " * 20_000, "what is " * 10_000, "s'" * 30_000, "{{node:" * 9_000, "!" * 90_000])
def test_it_reads_no_more_than_a_question_of_a_long_text(text):
    started = time.process_time()
    understand(text)
    assert time.process_time() - started < 5


@given(st.text())
def test_it_takes_any_text(text):
    assert understand(text).language in {"en", "fr"}
