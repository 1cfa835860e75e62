"""What holds of every search, told of the nodes of a graph and of the rows of an application."""

import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import CASCADE, CharField, ForeignKey, IntegerField, JSONField, Model, QuerySet, TextField
from django.test.utils import CaptureQueriesContext, isolate_apps
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_django import Settings

from graphs.models import Graph, Node, Sheet, Workspace
from graphs.objects.kinds import KINDS
from graphs.site.access import Member, member_of
from graphs.site.accounts import Account
from rag.embeddings import embedding_models, metering, serving_model
from rag.embeddings.collections import MAX_CHARS, Collection
from rag.embeddings.embedder import Embedded, EmbeddingFailed
from rag.embeddings.local import LocalEmbedder
from rag.embeddings.metering import OverBudget
from rag.embeddings.updating import embed_all
from rag.sources.graphs.context import configured
from rag.sources.graphs.nodes import GraphNodes
from rag.sources.graphs.retrieve import look_up
from rag.sources.objects.collection import ObjectFamily, WorkspaceObjects
from rag.sources.objects.search import BY_WORDS, find
from tests.registered import product, registered, shops
from tests.shop.models import Shop

pytestmark = pytest.mark.django_db

WEATHER = "protection against wet weather"


class Searched(ABC):
    """What somebody searches, empty at first. Each thing has a name and a text; `most` are found by words."""

    most: int
    #: The field of the text.
    text: str

    def __init__(self, member: Member) -> None:
        self.member = member
        self.account = Account(member.workspace.pk)

    @abstractmethod
    def add(self, *named: tuple[str, str]) -> None: ...

    @abstractmethod
    def things(self) -> QuerySet[Any]: ...

    @abstractmethod
    def collection(self) -> Collection: ...

    @abstractmethod
    def find(self, question: str) -> list[str]:
        """The names of what the question finds, best first."""

    def embed(self) -> None:
        embedder = embedding_models.by_name(embedding_models.configured())
        serving_model.ensure_model(embedder, self.account)
        assert sum(progress.embedded for progress in embed_all(self.collection(), embedder)) > 0


class Nodes(Searched):
    most = configured().nodes
    text = "process"

    def __init__(self, member: Member) -> None:
        super().__init__(member)
        self.graph = Graph.objects.create(workspace=member.workspace, key="searched", name="Searched")
        self.sheet = Sheet.objects.create(graph=self.graph, key="main", name="main")

    def add(self, *named: tuple[str, str]) -> None:
        Node.objects.bulk_create(
            Node(graph=self.graph, sheet=self.sheet, key=uuid.uuid4().hex, name=name, process=text, type="filter")
            for name, text in named
        )

    def things(self) -> QuerySet[Any]:
        return self.graph.nodes.all()

    def collection(self) -> Collection:
        return GraphNodes(self.graph)

    def find(self, question: str) -> list[str]:
        found = look_up(self.graph, question, self.account)
        return [node.name for node, _why in zip(found.context.relevant_nodes, found.why, strict=False)]


class Rows(Searched):
    most = BY_WORDS
    text = "notes"

    def __init__(self, member: Member) -> None:
        super().__init__(member)
        self.shop = Shop.objects.create(workspace=member.workspace, name="Searched")

    def add(self, *named: tuple[str, str]) -> None:
        for name, text in named:
            product(self.shop, name, notes=text)

    def things(self) -> QuerySet[Any]:
        return self.shop.products.all()

    def collection(self) -> Collection:
        ObjectFamily().discover()
        return WorkspaceObjects(self.member.workspace)

    def find(self, question: str) -> list[str]:
        return [row.name for _kind, row in find(self.member, [KINDS["product"]], question, self.account).objects]


@pytest.fixture(params=[Nodes, Rows])
def source(request: pytest.FixtureRequest) -> Iterator[type[Searched]]:
    serving_model.clear_cache()
    with shops() if request.param is Rows else nullcontext():
        yield request.param
    serving_model.clear_cache()


@pytest.fixture
def here(source: type[Searched], alice: User) -> Searched:
    return source(member_of(alice))


@pytest.fixture
def stocked(here: Searched) -> Searched:
    here.add(("Umbrella", "Keeps the rain off"), ("Hammer", "Drives nails into wood"))
    return here


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What is an umbrella for?", ["Umbrella"]),
        ("Are there umbrellas?", ["Umbrella"]),
        ("À quoi sert « Hammer » ?", ["Hammer"]),
        ("Is RAIN bad?", ["Umbrella"]),
        ("what drives nails into the umbrella", ["Umbrella", "Hammer"]),
        ("zebra crossing", []),
    ],
)
def test_words_find_and_names_come_first(stocked: Searched, question: str, names: list[str]) -> None:
    assert stocked.find(question) == names


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("Élagueuse", "Où est l'élagueuse ?"),
        ("Elagueuse", "Où est l'élagueuse ?"),
        ("Élagueuse", "OÙ EST L'ÉLAGUEUSE ?"),
        ("Night sync", "explain nightSync"),
    ],
)
def test_it_finds_names_that_are_written_otherwise(here: Searched, name: str, question: str) -> None:
    here.add((name, "x"), ("Other", "y"))
    assert here.find(question) == [name]


def test_what_has_more_of_the_words_comes_first(here: Searched) -> None:
    here.add(("One", "cobalt"), ("Two", "basalt, cobalt"), ("Three", "amber, basalt, cobalt"))
    assert here.find("amber or basalt or cobalt") == ["Three", "Two", "One"]


def test_what_has_words_and_a_vector_comes_before_what_has_one_of_them(stocked: Searched) -> None:
    stocked.add(("Carved house", "Of wood, weather inside"))
    stocked.embed()
    assert stocked.find(f"{WEATHER}, rain") == ["Umbrella", "Carved house"]


@pytest.mark.parametrize("question", ["", "   ", "what does it do?", "???", "' | & ! <-> :* \\", "%", "_", "a" * 5000])
def test_a_question_that_says_nothing_finds_nothing(stocked: Searched, question: str) -> None:
    assert stocked.find(question) == []


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=200))
def test_it_can_be_asked_anything(stocked: Searched, question: str) -> None:
    assert set(stocked.find(question)) <= {"Umbrella", "Hammer"}


def test_it_finds_as_many_as_it_has_room_for(here: Searched) -> None:
    here.add(*((f"Umbrella {number}", "x") for number in range(here.most + 5)))
    assert len(here.find("umbrella")) == here.most


@pytest.mark.parametrize(("name", "said"), [("Night sync", "night sync"), ("Night-sync", "nightSync")])
def test_what_is_named_is_found_however_many_have_the_other_words(here: Searched, name: str, said: str) -> None:
    here.add(*((f"Customer import {number}", "x") for number in range(150)), (name, "x"))
    assert here.find(f"compare the customer import with {said}")[0] == name


@pytest.mark.parametrize("end", ["Fetch API", "`Fetch API`", "fetchApi"])
def test_what_a_long_message_names_at_its_end_is_found(here: Searched, end: str) -> None:
    here.add(("Fetch API", "x"), ("Amber", "x"))
    log = " ".join(f"{word}{number}" for number in range(20) for word in ("amber", "basalt", "cobalt"))
    assert here.find(f"I pasted this log: {log}. What does {end} do?")[0] == "Fetch API"


def test_it_finds_by_meaning(stocked: Searched) -> None:
    assert stocked.find(WEATHER) == []
    stocked.embed()
    assert stocked.find(WEATHER) == ["Umbrella"]


def test_of_a_long_question_both_ends_are_embedded(stocked: Searched, monkeypatch: pytest.MonkeyPatch) -> None:
    stocked.embed()
    embed, asked = LocalEmbedder.embed, []
    monkeypatch.setattr(LocalEmbedder, "embed", lambda *given: asked.extend(given[1]) or embed(*given))
    stocked.find(f"Which of these? {'a log, ' * 4_500} By courier?")
    (text,) = asked
    assert (len(text), text[:15], text[-11:]) == (MAX_CHARS, "Which of these?", "By courier?")


@pytest.mark.parametrize("way", ["none is configured", "the vendor is away", "the budget is spent"])
def test_words_find_while_no_question_is_embedded(
    stocked: Searched, settings: Settings, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    stocked.embed()
    match way:
        case "none is configured":
            settings.EMBEDDING_PROVIDER = "none"
        case "the vendor is away":
            monkeypatch.setattr(LocalEmbedder, "embed", _failing)
        case _:
            monkeypatch.setattr(metering, "_meter", _refusing)
    assert stocked.find(WEATHER) == []
    assert stocked.find("nails for the umbrella") == ["Umbrella", "Hammer"]


def _failing(*_given: object) -> Embedded:
    raise EmbeddingFailed("network")


def _refusing(*_given: object) -> Embedded:
    raise OverBudget("The budget of today does not cover this.", 60)


def test_the_account_of_the_question_pays(stocked: Searched, monkeypatch: pytest.MonkeyPatch) -> None:
    stocked.embed()
    paid: list[tuple[Sequence[str], str, Account]] = []

    def meter(_name: str, texts: Sequence[str], purpose: str, account: Account, ask: Any) -> Embedded:
        paid.append((texts, purpose, account))
        made: Embedded = ask()
        return made

    monkeypatch.setattr(metering, "_meter", meter)
    stocked.account = Account(stocked.member.workspace.pk, stocked.member.user.pk)
    stocked.find(WEATHER)
    assert paid == [([WEATHER], "question", stocked.account)]


def test_other_workspaces_are_as_if_they_were_empty(
    stocked: Searched, source: type[Searched], other_workspace: Workspace, charlie: User
) -> None:
    foreign = source(member_of(charlie))
    assert foreign.member.workspace == other_workspace
    foreign.add(("Their umbrella", "Keeps the rain off"))
    for question in ("umbrella", WEATHER):
        for each in (stocked, foreign):
            if question == WEATHER:
                each.embed()
        assert (stocked.find(question), foreign.find(question)) == (["Umbrella"], ["Their umbrella"])


def test_what_was_deleted_is_found_neither_by_words_nor_by_meaning(stocked: Searched) -> None:
    stocked.embed()
    assert stocked.find(f"umbrella, {WEATHER}") == ["Umbrella"]
    stocked.things().get(name="Umbrella").delete()
    assert stocked.find(f"umbrella, {WEATHER}") == []


def test_a_text_that_changed_is_found_by_its_new_words(stocked: Searched) -> None:
    assert (stocked.find("rain"), stocked.find("sun")) == (["Umbrella"], [])
    stocked.things().filter(name="Umbrella").update(**{stocked.text: "Keeps the sun off"})
    assert (stocked.find("rain"), stocked.find("sun")) == ([], ["Umbrella"])


def test_how_often_it_asks_the_database_does_not_depend_on_how_much_there_is(stocked: Searched) -> None:
    counts = []
    for number in range(2):
        stocked.embed()
        with CaptureQueriesContext(connection) as asked:
            assert stocked.find(f"{WEATHER}, umbrella")
        counts.append(len(asked))
        if number == 0:
            stocked.add(*((f"Parasol {number}", "Keeps the rain off") for number in range(30)))
    assert counts[1] <= counts[0] <= 5


@pytest.fixture
def quotes(alice: User) -> Callable[..., list[str]]:
    """Makes rows of a model whose fields have the names of what a search counts, and gives the titles that it finds."""
    member = member_of(alice)
    with isolate_apps("tests.shop"):

        class Quote(Model):
            workspace = ForeignKey(Workspace, CASCADE, related_name="+")
            title = CharField(max_length=50)
            said = TextField(blank=True)
            words_found = IntegerField(default=0)
            data = JSONField(default=dict)

            class Meta:
                app_label = "shop"

    def found(query: str, rows: Iterable[tuple[str, str]], title: str = "title") -> list[str]:
        for name, said in rows:
            Quote.objects.create(workspace=member.workspace, title=name, said=said, data={"name": name})
        with registered(Quote, title=title, workspace="workspace", fields=("title", "said", "data.name")) as kind:
            objects = find(member, [kind], query, Account(member.workspace.pk)).objects
        return [row.title for _kind, row in objects]

    with connection.schema_editor() as editor:
        editor.create_model(Quote)
    return found


def test_a_model_may_have_a_field_of_any_name(quotes: Callable[..., list[str]]) -> None:
    assert quotes("umbrella", [("Night", "umbrella")]) == ["Night"]


def test_a_title_within_json_is_what_a_query_names(quotes: Callable[..., list[str]]) -> None:
    crowd = [(f"Customer import {number}", "") for number in range(15)]
    assert (
        quotes("the customer import before Night sync", [*crowd, ("Night sync", "")], title="data.name")[0]
        == "Night sync"
    )


def test_the_longest_title_that_a_query_says_comes_before_those_within_it(quotes: Callable[..., list[str]]) -> None:
    crowd = [("Sync", "customer import")] * 12
    assert quotes("customer import and Night sync", [*crowd, ("Night sync", "")])[0] == "Night sync"
