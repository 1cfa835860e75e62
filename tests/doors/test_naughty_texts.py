"""Naughty texts in every text field of every door: given back as they came, or refused; never a 5xx or a forged log."""

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from urllib.parse import quote, urljoin, urlsplit

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from chat.subjects import tools
from chat.tools.tool import ToolContext
from graphs.models import Company, Folder, Graph, UseCase
from graphs.models.visible_text import is_blank, one_line
from graphs.objects.kinds import KINDS
from graphs.site.access import member_of
from tests.doors.matrix import client_of
from tests.doors.naughty import NAUGHTY, SHARE
from tests.doors.world import World

API = "/api/v1/"
HEADERS = ("X-Workspace", "Accept-Language", "If-None-Match", "Idempotency-Key", "Accept", "Cookie", "Referer", "Range")
NO_MEMBERS = {"memberships-TOTAL_FORMS": "0", "memberships-INITIAL_FORMS": "0"}
T = TypeVar("T")
pytestmark = pytest.mark.usefixtures("honest_log")


class Visitor:
    """The clients of people who type what `text` is; `turn` counts the texts."""

    def __init__(self, everybody: World) -> None:
        self.world = everybody
        self.editor = client_of(everybody, "editor", program=True)
        self.pages = client_of(everybody, "editor", program=False)
        self.admin = client_of(everybody, "superuser", program=False)
        self.session = everybody.ids("editor", "session_id")["own"]
        self.turn = 0

    def share(self, doors: Sequence[T]) -> Sequence[T]:
        return doors[self.turn % SHARE :: SHARE]

    def post(self, path: str, body: dict[str, Any], **headers: str) -> Any:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.editor.post(API + path, json.dumps(body), content_type="application/json", headers=named)

    def upload(self, content: Any, name: str = "file.json", **fields: str) -> Any:
        file = SimpleUploadedFile(name, json.dumps(content).encode())
        return self.editor.post(f"{API}graphs/import", {"file": file, **fields})


def a_message_is_read_as_it_was_written(visitor: Visitor, text: str) -> None:
    answer = visitor.post("chat/messages", {"message": text})
    if not refused(answer, 202):
        session = f"{API}chat/sessions/{answer.json()['sessionId']}"
        assert visitor.editor.get(f"{session}/messages").json()["results"][0]["content"] == text
        assert visitor.editor.get(f"{session}/stream-events").json()["events"][0]["data"]["content"] == text


def a_title_is_read_as_it_was_written(visitor: Visitor, text: str) -> None:
    address = f"{API}chat/sessions/{visitor.session}"
    answer = visitor.editor.patch(address, json.dumps({"title": text}), content_type="application/json")
    if not refused(answer, 200):
        assert answer.json()["title"] == visitor.editor.get(address).json()["title"] == text.strip()


def a_request_is_known_by_its_key(visitor: Visitor, text: str) -> None:
    first, again = (visitor.post("chat/messages", {"message": "Hello"}, Idempotency_Key=as_header(text)) for _ in "12")
    if not refused(first, 202):
        assert again.json() == first.json()


def a_field_of_a_body_that_is_none_is_refused(visitor: Visitor, text: str) -> None:
    bodies: list[tuple[str, dict[str, Any]]] = [
        ("chat/messages", {"message": "Hello", "model": text or "x"}),
        ("chat/messages", {"message": "Hello", "sessionId": text}),
        ("chat/messages", {"message": "Hello", "context": {"type": text, "id": "nba"}}),
        ("chat/messages", {"message": "Hello", "context": {"type": "graph", "id": text}}),
        ("chat/messages", {"message": "Hello", text: text}),
        (f"chat/sessions/{visitor.session}/resume", {"answer": text}),
        ("auth/token", {"username": text, "password": "wrong"}),
        ("auth/token", {"username": "person-editor", "password": text}),
        ("auth/token/refresh", {"refresh": text}),
        ("auth/token/revoke", {"refresh": text}),
    ]
    for path, body in bodies:
        assert 400 <= visitor.post(path, body).status_code < 500, path


def addresses_and_headers_are_taken_or_refused(visitor: Visitor, text: str) -> None:
    value = in_address(text)
    session = f"chat/sessions/{visitor.session}"
    addresses = [
        *(f"graphs?{name}={value}" for name in ("search", "cursor", "limit", "workspace", "format", "")),
        *(f"chat/sessions?{name}={value}" for name in ("context", "context=graph:", "cursor", "limit")),
        f"{session}/messages?cursor={value}",
        *(f"{session}/stream-events?{name}={value}" for name in ("after", "limit")),
        *(f"{path}/{value}" for path in ("graphs", "chat/sessions", "streams/events", "chat/messages")),
        f"graphs/{value}/export?format={value}",
    ]
    for address in visitor.share(addresses):
        assert visitor.editor.get(API + address).status_code < 500, address
    for name in visitor.share(HEADERS):
        answer = visitor.editor.get(f"{API}graphs", headers={name: as_header(text)})
        assert answer.status_code < 500, name
    nobody = Client(headers={"Authorization": f"Bearer {as_header(text)}"})
    assert nobody.get(f"{API}graphs").status_code == 401


def an_imported_graph_is_exported_as_it_was(visitor: Visitor, text: str) -> None:
    data = {"a": text, text: [text]}
    node = {"key": "a", "type": "step", "sheet": "main", "name": text, "process": text, "data": data}
    edge = {"key": "e", "source": "a", "target": "b", "sheet": "main", "label": text}
    graph = {**native("naughty"), "description": text, "metadata": data, "edges": [edge]}
    graph["nodes"] = [node, {"key": "b", "type": "step", "sheet": "main"}]
    if refused(visitor.upload({**graph, "name": text or "N"}), 201):
        return
    found = visitor.editor.get(f"{API}graphs/naughty/export").json()
    called = "" if is_blank(text) else text  # a name that nobody sees is none
    assert (found["name"], found["description"], found["metadata"]) == (called if text else "N", text, data)
    assert {**found["nodes"][0], **node, "name": called} == found["nodes"][0]
    assert {**found["edges"][0], **edge} == found["edges"][0]
    assert visitor.pages.get("/graphs/naughty/").status_code == 200
    assert "naughty" in [each["key"] for each in visitor.editor.get(f"{API}graphs").json()["results"]]
    Graph.objects.get(workspace=visitor.world.workspaces["demo"], key="naughty").delete()


def keys_and_names_of_an_import_are_taken_or_refused(visitor: Visitor, text: str) -> None:
    item = {"id": text, "name": text, "type": text}
    files: list[Any] = [
        {**native(text), "nodes": [{"key": text, "type": text, "sheet": "main"}]},
        {"name": text, "nodes": [{**item, "parameters": {text: text}}], "connections": {text: {}}},
        [{**item, "wires": [[text]], "z": text}],
    ]
    for content in files:
        refused(visitor.upload(content), 201)
    refused(visitor.upload(native("n"), in_form(text) or "f", key=in_form(text)), 201)
    refused(visitor.upload(native("n"), format=in_form(text)), 201)


def fields_of_records_are_read_as_they_were_written(visitor: Visitor, text: str) -> None:
    workspace = visitor.world.workspaces["demo"]
    made: dict[str, Any] = {
        "company": Company.objects.create(workspace=workspace, name="C"),
        "folder": Folder.objects.create(workspace=workspace, name="F"),
        "usecase": UseCase.objects.create(workspace=workspace, data={"name": "U"}),
    }
    for type_, row in made.items():
        path = f"objects/{type_}/{row.pk}"
        for field in visitor.share([each for each in KINDS[type_].fields if not each.fixed and each.form != "key"]):
            for value in (text, [text], {text: text}):
                action = {"action": "update_object", "arguments": {"updates": {field.name: value}}}
                if not refused(visitor.post(f"{path}/changes", {"actions": [action]}), 201):
                    kept = one_line(value) if field.line and isinstance(value, str) else value
                    assert visitor.editor.get(API + path).json()["fields"][field.name] == kept, field.name
        assert visitor.pages.get(reverse(str(KINDS[type_].url), args=[row.pk])).status_code == 200
    for name, address in (("company", "companies"), ("folder", "folders"), ("usecase", "use-cases")):
        for asked in visitor.share(("search", "status", "order", "in", "cursor")):
            assert visitor.pages.get(f"/{address}/?{asked}={in_address(text)}").status_code < 500, asked
        form = {"name": in_form(text), "parent": in_form(text), "status": in_form(text), "record": in_form(text)}
        for door in (f"new-{KINDS[name].url}", f"{KINDS[name].url}-status"):
            assert visitor.pages.post(reverse(door), form).status_code < 500, door
        visitor.post(f"objects/{name}", {"fields": {KINDS[name].title: text}, "parent": text})
        created = visitor.post(f"objects/{name}", {"fields": {KINDS[name].title: text}})
        if not refused(created, 201):
            assert created.json()["title"] == one_line(text)
            assert visitor.pages.get(f"/{address}/").status_code == 200
    for row in made.values():
        row.delete()


def pages_are_shown_or_refused(visitor: Visitor, text: str) -> None:
    value = in_address(text)
    for name in visitor.share(("search", "cursor", "workspace", "next")):
        assert visitor.pages.get(f"/?{name}={value}").status_code < 500, name
    assert visitor.pages.get(f"/graphs/{value}/").status_code < 500
    nobody = client_of(visitor.world, "anonymous", program=False)
    form = {"username": in_form(text), "password": in_form(text), "next": in_form(text)}
    assert nobody.post(f"/accounts/login/?next={value}", form).status_code == 200
    moved = nobody.post("/i18n/setlang/", {"language": in_form(text), "next": in_form(text)})
    assert moved.status_code == 302
    here = "http://testserver/i18n/setlang/"
    assert urlsplit(urljoin(here, moved.headers["Location"])).netloc == "testserver"


def the_admin_is_shown_or_refuses(visitor: Visitor, text: str) -> None:
    value = in_address(text)
    session = reverse("admin:chat_session_change", args=[visitor.session])
    for address in visitor.share(
        [
            *(
                f"/admin/chat/session/?{name}={value}"
                for name in ("q", "q=text:", "workspace", "phase", "o", "p", "id", "e")
            ),
            *(f"/admin/auth/user/?{name}={value}" for name in ("q", "is_active__exact", "memberships__workspace__id")),
            *(f"{session.replace('change', 'events')}?{name}={value}" for name in ("at", "type", "run")),
            f"{session}?page={value}",
            f"/admin/graphs/node/{value}/change/",
            f"/admin/autocomplete/?app_label=graphs&model_name=membership&field_name=user&term={value}",
        ]
    ):
        assert visitor.admin.get(address).status_code < 500, address
    people = {"username": in_form(text), "usable_password": "false", **NO_MEMBERS}
    if visitor.admin.post("/admin/auth/user/add/", people).status_code == 302:
        assert User.objects.latest("pk").username == User.normalize_username(in_form(text).strip())
    workspace = {"name": in_form(text), "slug": "s", **NO_MEMBERS}
    assert visitor.admin.post("/admin/graphs/workspace/add/", workspace).status_code in {200, 302}


def tools_answer_their_model(visitor: Visitor, text: str) -> None:
    context = ToolContext(member_of(visitor.world.users["editor"]), visitor.world.graphs["demo"])
    for name, tool in tools.by_name().items():
        for field in tool.arguments.model_fields.values():
            for value in (text, [text]):
                call = tools.parse(name, json.dumps({field.alias: value}), tools.by_name())
                told = _told(call, context)
                assert "\0" not in json.dumps(told, ensure_ascii=False).encode().decode(), name
    unknown = tools.parse(text, text, tools.by_name())
    assert isinstance(unknown, tools.CallRefused)
    assert unknown.message.isprintable()


def _told(call: tools.ParsedCall | tools.CallRefused, context: ToolContext) -> Any:
    if isinstance(call, tools.CallRefused):
        return call.message
    return repr(call.tool.write("call", call.arguments)) if call.tool.writes else tools.run(call, context)


DOORS: list[Callable[[Visitor, str], None]] = [
    a_message_is_read_as_it_was_written,
    a_title_is_read_as_it_was_written,
    a_request_is_known_by_its_key,
    a_field_of_a_body_that_is_none_is_refused,
    addresses_and_headers_are_taken_or_refused,
    an_imported_graph_is_exported_as_it_was,
    keys_and_names_of_an_import_are_taken_or_refused,
    pages_are_shown_or_refused,
    fields_of_records_are_read_as_they_were_written,
    the_admin_is_shown_or_refuses,
    tools_answer_their_model,
]


@pytest.mark.faults
@pytest.mark.timeout(900)
@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_whatever_is_written(everybody: World, door: Callable[[Visitor, str], None]) -> None:
    visitor = Visitor(everybody)
    for visitor.turn, (name, text) in enumerate(list(NAUGHTY.items())[DOORS.index(door) % SHARE :: SHARE]):
        try:
            door(visitor, text)
        except Exception as error:
            error.add_note(f"with the text “{name}”")
            raise


def native(key: str) -> dict[str, Any]:
    nodes = [{"key": "a", "type": "step", "sheet": "main"}]
    head = {"format": "countersign.graph", "formatVersion": 1, "key": key, "name": "N"}
    return {**head, "sheets": [{"key": "main", "name": "Main"}], "nodes": nodes, "edges": []}


def refused(answer: Any, accepted: int) -> bool:
    """Whether it was refused properly; else it must have been accepted."""
    assert answer.status_code == accepted or 400 <= answer.status_code < 500, answer.content
    return bool(answer.status_code != accepted)


def as_header(text: str) -> str:
    """As a server reads it: bytes, one character each; a line end would have ended the header."""
    found = text.encode("utf-8", "surrogatepass").decode("latin1")
    return "".join(character for character in found if character not in "\r\n")[:8_000]


def in_address(text: str) -> str:
    return quote(text, errors="surrogatepass")[:8_000]


def in_form(text: str) -> str:
    """A browser has no half pairs to send."""
    return text.encode("utf-8", "replace").decode()
