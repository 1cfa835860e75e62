"""Every door that may answer much is marked, so that few of its answers are made at a time."""

import ast
from pathlib import Path

import pytest
from rest_framework.views import APIView

from chat.web.large_answers import _may_be_large
from tests.doors.addresses import api_views, every_address

ROOT = Path(__file__).resolve().parents[2]
#: Views that are not marked, and why their answers are never large.
SMALL = {
    "AlwaysSendView": "names of what a person shares, of one workspace",
    "KindsView": "the kinds of objects and their fields, as the code has them",
    "ModelsView": "the models that may be asked, as the settings have them",
    "ObjectStreamView": "one id",
    "PromptVersionView": "one version of a prompt, whose texts have a limit",
    "PromptsView": "a page of prompts without their versions",
    "QueueView": "a page of what runs or waits, without any texts but titles, which have a limit",
    "SchemaView": "the document of the API, made of the code",
    "StructuredView": "one generation, whose text has a limit",
    "ServerSentEventsView": "never answers: `chat/web/sse.py` does, at the pace of its reader",
    "SharesView": "names of what one conversation is shared with, 200 people and 20 links at most",
    "SessionView": "one conversation without its messages",
    "SessionsView": "a page of conversations without their messages; titles have a limit",
}
#: Where an answer is made of parts, and why not all of it is in memory.
STREAMS = {
    "chat/admin/spend_page.py": "the file of what is spent is sent a day at a time",
    "graphs/api/sent_files.py": "exports are written batch by batch into a file on the disk, which is sent",
}
STREAMING = {"StreamingHttpResponse", "FileResponse"}


def reading() -> list[type[APIView]]:
    return [view for view in api_views() if hasattr(view, "get")]


def test_each_door_that_reads_is_marked_or_small() -> None:
    unmarked = {view.__name__ for view in reading() if not getattr(view, "large_answer", False)}
    assert unmarked == SMALL.keys()


def test_whole_graphs_and_pages_of_texts_are_marked() -> None:
    """By what the addresses say, whatever their views are called."""
    marked = {each.path for each in every_address() if is_large("/" + each.with_id("nba")[1:])}
    assert {path.removeprefix("api/v1/") for path in marked} == {
        *("graphs/{key}", "graphs/import", "graphs/{key}/export", "node-types"),
        *("objects", "objects/{object_type}/{object_id}"),
        *("objects/{object_type}/import", "objects/{object_type}/export"),
        *("folders/{folder}/matrix", "folders/{folder}/matrix.svg", "folders/{folder}/matrix.png"),
        *("history", "history/export", "history/versions", "history/{change_set_id}"),
        *("prompts/{prompt_key}", "prompts/{prompt_key}/compare"),
        *("proposals", "proposals/waiting", "proposals/{proposal_id}", "streams/events/{stream_name}"),
        *(
            "chat/sessions/{session_id}/export",
            "chat/sessions/{session_id}/messages",
            "chat/sessions/{session_id}/stream-events",
        ),
        *("chat/messages/{message_id}/stream-events", "search"),
    }


def is_large(path: str, query: str = "", method: str = "GET") -> bool:
    return _may_be_large({"method": method, "path": path, "query_string": query.encode()})


@pytest.mark.parametrize(
    ("query", "large"),
    [("", False), ("search=nba", True), ("se%61rch=nba", True), ("cursor=search=", False), ("limit=2&search=a", True)],
)
def test_a_list_of_graphs_is_large_where_it_searches(query: str, large: bool) -> None:
    assert is_large("/api/v1/graphs", query) is large


@pytest.mark.parametrize(("method", "large"), [("GET", True), ("HEAD", True), ("POST", False), ("OPTIONS", False)])
def test_only_what_reads_is_large(method: str, large: bool) -> None:
    assert is_large("/api/v1/graphs/nba", method=method) is large


def test_what_may_wait_for_an_object_is_not_large() -> None:
    """Previews have places of their own (`graphs.site.preview_places`), once they hold what they waited for."""
    assert not [each.path for each in every_address() if is_large(each.with_id("nba"), method="POST")]


def test_what_is_nowhere_is_not_large() -> None:
    assert not is_large("/api/v1/nothing/here")
    assert not is_large("/api/v1/graphs/" + "x" * 10_000)


def test_who_sends_an_answer_in_parts_is_listed() -> None:
    found = {
        str(path.relative_to(ROOT))
        for app in ("graphs", "chat", "config", "rag")
        for path in (ROOT / app).rglob("*.py")
        if any(
            isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in STREAMING
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        )
    }
    assert found == STREAMS.keys()
