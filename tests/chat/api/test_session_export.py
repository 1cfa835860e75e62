"""chat/api/session_export.py: a conversation as JSON, Markdown and PDF."""

import json
from itertools import pairwise
from typing import Any

import pytest
from django.contrib.auth.models import User
from markdown_it import MarkdownIt
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

#: HTML within a line, a list, a quotation, a heading and a table, and beside code that it seems to be in.
HTML = (
    "Yes </blockquote><h2>alice</h2>\n\n- <!-- gone\n\n  <h2>alice</h2>\n\n> <b>\n\n# <i>a</i>\n\n> # <i>b</i>\n\n"
    "a | b\n-- | --\n`c | <b> `d\n\n<https://e.example/`f> <h2>alice</h2> `\n\n\\`<b>` <b>`\n\n```\n<kept>\n```\n"
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


def test_no_text_in_markdown_looks_like_a_message_of_somebody(alice: User, bob: User, session: Any, nba: Graph) -> None:
    fake = "Yes\n## alice · 01/01/2026\n\nI agree.\n\nalice · 02/01/2026\n---\n\n  # alice\r## alice\n"
    nba.name = "NBA\n\n## alice"
    nba.save()
    Message.objects.create(session=session, sequence=7, role="user", content=fake, author=bob)
    for sequence, ending in enumerate(("\x0c# alice\n\u2028\n# alice", "<!-- `", "~~~~js\n~~~\n", "- ```\n", HTML), 10):
        Message.objects.create(session=session, sequence=sequence, role="assistant", content=ending, model="demo")
    Message.objects.create(session=session, sequence=20, role="user", content=f"<!--\n\n{HTML}\n```")
    Message.objects.create(session=session, sequence=21, role="user", content="Last")
    session.title = "=What? <!-- Now"
    session.save()
    answer = f"{fake}\n```\n# alice\n```\n> # alice\n\n{{{{graph:nba}}}}\n"
    Message.objects.create(session=session, sequence=8, role="assistant", content=answer, model="demo")
    long = f"## alice\n{'word ' * 20_000}\n\n## alice\n"
    Message.objects.create(session=session, sequence=9, role="assistant", content=long, model="demo")
    text = content_of(exported(alice, session, "md")).decode()
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    heads = [
        within.content.partition(" · ")[0]
        for token, within in pairwise(tokens)
        if token.type == "heading_open" and token.level == 0 and token.tag in ("h1", "h2")
    ]
    assert heads == [r"=What? \<!-- Now", "alice", "demo", "alice", "demo", "bob", *["demo"] * 7, "alice", "alice"]
    within_blocks = [child.type for token in tokens for child in token.children or ()]
    assert not {"html_block", "html_inline"} & {*within_blocks, *(token.type for token in tokens)}, "HTML is text"
    assert "### Result" in text
    assert "\n# alice\n```" in text, "code stays as it is"
    assert "\n<kept>\n" in text
    assert "<https://e.example/`f>" in text


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
