import uuid

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from chat.models import Call, Round, Run, RunStatus, Session, Summary
from graphs.models import Graph, Workspace
from tests.chat.admin.talk import Talk, talk, turn
from tests.graphs.admin.staff import auditor, mere_staff, superuser

pytestmark = pytest.mark.django_db
LIST = "admin:chat_session_changelist"


@pytest.fixture
def own(alice: User, demo_workspace: Workspace, nba: Graph) -> Talk:
    return talk(alice, demo_workspace)


@pytest.fixture
def foreign(charlie: User, other_workspace: Workspace) -> Talk:
    found = talk(charlie, other_workspace, "Secret question", model="secret-model", content="Secret answer")
    Run.objects.filter(pk=found.run.pk).update(model="secret-model")
    return found


def listed(client: Client, **query: str) -> str:
    response = client.get(reverse(LIST), query)
    assert response.status_code == 200
    return response.content.decode()


def detail(found: Talk) -> str:
    return reverse("admin:chat_session_change", args=[found.session.pk])


def opened(client: Client, found: Talk) -> str:
    response = client.get(detail(found))
    assert response.status_code == 200
    return response.content.decode()


def test_a_workspace_admin_sees_the_sessions_of_their_workspace(own: Talk, foreign: Talk) -> None:
    text = listed(auditor(own.session.workspace))
    assert "1 session" in text
    assert "Where is the API?" in text
    for shown in ("alice", "graph:nba", "1,234", "$0.0123"):
        assert shown in text
    for leaked in ("ecret", "charlie", "Other", "other"):
        assert leaked not in text


def test_a_foreign_session_is_absent(own: Talk, foreign: Talk) -> None:
    client = auditor(own.session.workspace)
    absent = Talk(Session(id=uuid.uuid4()), foreign.run)
    for found in (foreign, absent):
        for address in (detail(found), detail(found).replace("change", "history")):
            response = client.get(address)
            assert response.status_code == 404
            assert "ecret" not in response.content.decode()
    assert client.get("/admin/chat/session/nonsense/change/").status_code == 404


@pytest.mark.parametrize(
    "query",
    [
        {"q": "secret"},
        {"q": "text: secret"},
        {"q": "charlie"},
        {"workspace": "other"},
        {"model": "secret-model"},
        {"workspace__slug": "other"},
        {"owner__username": "charlie"},
    ],
)
def test_neither_search_nor_filter_finds_foreign_sessions(query: dict[str, str], own: Talk, foreign: Talk) -> None:
    client = auditor(own.session.workspace)
    response = client.get(reverse(LIST), query, follow=True)
    assert "Secret question" not in response.content.decode()
    assert str(foreign.session.pk) not in response.content.decode()


def test_the_id_of_a_foreign_session_finds_nothing(own: Talk, foreign: Talk) -> None:
    assert "0 sessions" in listed(auditor(own.session.workspace), q=str(foreign.session.pk))


def test_mere_staff_sees_nothing(own: Talk) -> None:
    client = mere_staff(own.session.workspace)
    assert client.get(reverse(LIST)).status_code == 403
    assert client.get(detail(own)).status_code == 404
    assert "chat/session" not in client.get(reverse("admin:index")).content.decode()


def test_search_finds_title_owner_id_and_what_was_said(own: Talk, foreign: Talk) -> None:
    client = superuser()
    for words in ("where api", "alice", str(own.session.pk), "text: FETCH-API is"):
        text = listed(client, q=words)
        assert "1 session" in text, words
        assert str(own.session.pk) in text


def test_filters_choose(own: Talk, foreign: Talk) -> None:
    client = superuser()
    Session.objects.filter(pk=foreign.session.pk).update(hidden_at=timezone.now(), phase="COMPLETED", type="AUTOMATION")
    for query in (
        {"workspace": "other"},
        {"phase": "COMPLETED"},
        {"type__exact": "AUTOMATION"},
        {"model": "secret-model"},
        {"hidden": "yes"},
    ):
        text = listed(client, **query)
        assert "1 session" in text, query
        assert str(foreign.session.pk) in text
    assert "0 sessions" in listed(client, phase="absent")


def test_a_session_shows_what_was_said_and_done(own: Talk) -> None:
    text = opened(auditor(own.session.workspace), own)
    for shown in (
        "Where is the API?",
        "<strong>fetch-api</strong>",
        "I look it up.",
        "search_nodes",
        "&quot;query&quot;: &quot;api&quot;",
        "fetch-api&quot;",
        "$0.5000",
        "250 ms",
        "2.0 s",
        "host:42",
        "600 + 17",
        f"/events/?run={own.run.pk}",
    ):
        assert shown in text, shown


def test_markup_of_people_and_models_stays_text(alice: User, demo_workspace: Workspace) -> None:
    evil = '<img src=x onerror="alert(1)"><script>alert(2)</script> ![x](https://evil.example/x.png)'
    rounds = [Round(evil, evil, (Call("1", evil, {"a": evil}, {"b": evil}, "ok", "{}"),))]
    found = talk(alice, demo_workspace, evil, content=evil, rounds=rounds)
    Run.objects.filter(pk=found.run.pk).update(error={"code": "internal", "message": evil, "retryable": True})
    client = superuser()
    for text in (opened(client, found), listed(client)):
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert 'evil.example/x.png"' not in text
        assert "&lt;script&gt;alert(2)" in text


def test_a_failure_is_told(own: Talk) -> None:
    Run.objects.filter(pk=own.run.pk).update(
        status=RunStatus.FAILED, outcome="error", error={"code": "timeout", "message": "Too slow.", "retryable": True}
    )
    text = opened(superuser(), own)
    assert "timeout" in text
    assert "Too slow." in text


def test_nothing_can_be_added_changed_or_deleted(own: Talk) -> None:
    client = superuser()
    assert client.post(detail(own), {"title": "changed"}).status_code == 403
    assert client.post(reverse("admin:chat_session_add"), {"title": "new"}).status_code == 403
    assert client.post(reverse("admin:chat_session_delete", args=[own.session.pk]), {"post": "yes"}).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": [str(own.session.pk)], "post": "yes"}
    client.post(reverse(LIST), chosen)
    own.session.refresh_from_db()
    assert own.session.title == "Where is the API?"
    text = opened(client, own)
    for button in ("_save", "_addanother", "deletelink"):
        assert button not in text


def test_list_and_detail_need_as_many_queries_for_many_rows(
    own: Talk, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client = auditor(own.session.workspace)
    for i in range(20):
        talk(own.session.owner, own.session.workspace, f"Question {i}")
        turn(own.session, f"Question {i}")
    with django_assert_max_num_queries(9):
        assert "21 sessions" in listed(client)
    with django_assert_max_num_queries(16):
        assert "Question 19" in opened(client, own)


def test_what_a_person_and_a_summary_did_to_the_prompt_is_shown(own: Talk) -> None:
    turn(own.session, "Question 2")
    turn(own.session, "Question 3", in_prompt="left_out")
    own.session.messages.filter(sequence=1).update(in_prompt="pinned")
    about = {"session": own.session, "tokens_before": 12_345, "tokens_after": 678}
    Summary.objects.create(sequence=3, kept=[1], content="<data 1>\nAbout.\nFirst words\n</data 1>", model="m", **about)
    Summary.objects.create(sequence=4, rounds=2, content="<data 2>\nAbout.\n<b>Last\n</data 2>", **about)
    text = opened(auditor(own.session.workspace), own)
    assert text.count("always kept for the model") == text.count("left out by the person") == 1
    assert text.count(">summarised<") == 2
    for shown in ("First words", "messages before #3, without #1", "12,345 → 678", "made without a model", "Last"):
        assert shown in text
    assert "messages before #4, the first rounds of #4 (2)" in text
    assert text.index("Earlier summary") < text.index("Question 2") < text.index("Summary that the model gets")
    assert "<b>Last" not in text


def test_long_sessions_are_shown_in_pages(own: Talk) -> None:
    for i in range(30):
        turn(own.session, f"Question {i}")
    client = superuser()
    first, second = opened(client, own), client.get(detail(own), {"page": "2"}).content.decode()
    assert "Question 0" in first
    assert "Question 29" not in first
    assert "Question 29" in second
