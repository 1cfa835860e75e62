"""chat/api/session_export.py: a conversation as JSON, Markdown and PDF."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from pypdf import PdfReader

from chat.models import Call, Message, Round
from graphs.models import Graph, Workspace
from tests.chat.admin.talk import CALL, talk, turn
from tests.chat.api.callers import get
from tests.graphs.api.callers import problem
from tests.sent_files import as_file, content_of

pytestmark = pytest.mark.django_db
ANSWER = (
    "# Result\n\nAsk {{graph:nba}} or {{graph:none}}:\n\n1. **one**\n2. `two`\n\nשלום (1) مرحبا 你好 こんにちは 안녕"
)


def exported(user: User, session: Any, query: str) -> Any:
    return get(user, f"chat/sessions/{session.pk}/export?format={query}")


@pytest.fixture
def session(alice: User, demo_workspace: Workspace, nba: Graph) -> Any:
    found = talk(alice, demo_workspace, "=What?\nNow", content=ANSWER, reasoning="I think.\nHard.").session
    fenced = Call("c2", "read", {"text": "```"}, {"ok": True}, "ok", "{}")
    failed = turn(found, "Again", rounds=[Round("", "", (CALL, fenced))], content="", status="failed")
    failed.error = {"code": "timeout", "message": "It took too long.", "retryable": True}
    failed.save()
    Message.objects.create(session=found, sequence=5, role="user", kind="note", content="For the model only")
    Message.objects.create(session=found, sequence=6, role="system", kind="system_prompt", content="Secret prompt")
    return found


def test_json_has_all_that_people_see(alice: User, session: Any) -> None:
    answer = exported(alice, session, "json")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="What Now.json"'
    told = json.loads(content_of(answer))
    assert (told["format"], told["formatVersion"], told["title"]) == ("countersign.conversation", 1, "=What?\nNow")
    assert [each["author"] for each in told["messages"]] == ["alice", "demo", "alice", "demo"]
    assert told["messages"][1]["content"] == ANSWER
    assert told["messages"][1]["reasoning"] == "I think.\nHard."
    assert told["messages"][3]["error"] == "It took too long."
    assert [call["name"] for call in told["messages"][3]["toolCalls"]] == ["search_nodes", "read"]
    short = json.loads(content_of(exported(alice, session, "json&reasoning=false&tools=false")))
    assert {"reasoning", "toolCalls"} & short["messages"][1].keys() == set()


def test_markdown_is_fenced_and_names_what_is_mentioned(alice: User, session: Any, nba: Graph) -> None:
    text = content_of(exported(alice, session, "md")).decode()
    assert text.startswith("# =What? Now\n")
    assert f"Ask {nba.name} or {{{{graph:none}}}}:" in text
    assert "> I think.\n> Hard.\n" in text
    assert "````json\n" in text
    assert "For the model" not in text
    assert "Secret" not in text
    short = content_of(exported(alice, session, "md&reasoning=false&tools=false")).decode()
    assert "I think" not in short
    assert "search_nodes" not in short


def test_pdf_has_every_script(alice: User, session: Any) -> None:
    with as_file(exported(alice, session, "pdf")) as file:
        pages = PdfReader(file).pages
        text = "".join(page.extract_text() for page in pages)
        fonts = {str(font.get_object()["/BaseFont"]) for page in pages for font in page["/Resources"]["/Font"].values()}
    assert "It took too long." in text
    assert {script for script in ("KR", "Arabic", "Hebrew") if script in " ".join(fonts)} == {"KR", "Arabic", "Hebrew"}
    assert set("你好こんにちは안녕") <= set(text)


@pytest.mark.parametrize(
    ("query", "field"),
    [("", "format"), ("xml", "format"), ("md&reasoning=1", "reasoning"), ("md&tools=no", "tools")],
)
def test_it_names_what_is_not_right(alice: User, session: Any, query: str, field: str) -> None:
    assert field in problem(exported(alice, session, query), 400, "validation")["errors"]


def test_others_get_what_they_get_of_none(bob: User, charlie: User, session: Any) -> None:
    for person in (bob, charlie):
        problem(exported(person, session, "json"), 404, "not_found")
