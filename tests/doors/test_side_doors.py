"""What could give away a row without naming it in the path: bodies, queries, cursors, workspaces, other methods."""

import base64
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib import admin
from django.db.models import ForeignKey
from django.test import Client
from django.urls import reverse

from tests.doors import rules
from tests.doors.knocking import Answer, knock
from tests.doors.matrix import PREFIX, Door, api_addresses, body_of, client_of, doors, ids_of, page_addresses
from tests.doors.rules import Rule
from tests.doors.test_admin import GROUPS, SITE, of_models
from tests.doors.world import NOWHERE, OBJECT_TYPES, Id, World, canary

API_DOORS = [door for door in doors(rules.API, api_addresses(), PREFIX) if door.rule]
PAGE_DOORS = [door for door in doors(rules.PAGES, page_addresses()) if door.rule]
NOT_MINE = ("other", "nowhere", "demo2", "Demo", "../other", "demo\0", "othér", "x" * 51, "' OR 1=1 --")


def own(world: World, door: Door) -> str:
    ids = ids_of(world, "editor", door.address)
    return door.address.with_id(ids.get("own", ""))


@pytest.mark.parametrize("where", ["header", "query"])
def test_a_workspace_one_is_not_in_is_the_same_as_none(everybody: World, where: str) -> None:
    for found, program in ((API_DOORS, True), (PAGE_DOORS, False)):
        client = client_of(everybody, "editor", program)
        for door in found:
            assert door.rule
            if door.rule.who not in {"member", "editor", "decider"}:
                continue
            answers = {slug: _in_workspace(client, door, own(everybody, door), slug, where) for slug in NOT_MINE}
            assert answers["nowhere"].status == 404, (str(door), where)
            for slug, answer in answers.items():
                assert not answer.differs_from(answers["nowhere"], NOT_MINE), (str(door), slug)
            assert _in_workspace(client, door, own(everybody, door), "demo", where).status == door.rule.status, str(
                door
            )


def _in_workspace(client: Client, door: Door, address: str, slug: str, where: str) -> Answer:
    if where == "query":
        return knock(client, door.method, f"{address}?workspace={quote(slug)}", body_of(door.rule))
    return knock(client, door.method, address, body_of(door.rule), {"X-Workspace": slug.encode().decode("latin1")})


#: Method, address, body; `{x}` is the id of a session, `{key}` that of a graph, `{own}` a session of one's own,
#: `{object}` and `{id}` name an object of each kind, `{stream}` is its stream.
NESTED: list[tuple[str, str, Any]] = [
    ("POST", "chat/messages", {"message": "Hello", "sessionId": "{x}"}),
    ("GET", "chat/sessions?context=session:{x}", None),
    ("GET", "chat/sessions/{own}?workspace=other&session={x}", None),
    ("GET", "streams/events/session_{x}?after=5", None),
    ("GET", "graphs?search={key}", None),
    ("GET", "proposals?sessionId={x}", None),
    ("POST", "proposals/decide", {"approved": True, "sessionId": "{x}"}),
    ("POST", "proposals/decide", {"approved": True, "ids": ["{x}"]}),
    ("POST", "chat/sessions/{x}/resume", {"wrong": True}),
    ("PATCH", "chat/sessions/{x}", {"title": 7}),
    ("GET", "chat/sessions/{x}/stream-events?after=nonsense", None),
    ("GET", "chat/sessions/{x}/messages?cursor=nonsense", None),
]
OF_OBJECTS: list[tuple[str, str, Any]] = [
    ("POST", "chat/messages", {"message": "Hello", "context": {"type": "{type}", "id": "{id}"}}),
    ("POST", "chat/messages", {"message": "Hello", "sessionId": "{own}", "context": {"type": "{type}", "id": "{id}"}}),
    ("POST", "chat/links", {"objects": ["{object}"]}),
    ("GET", "chat/sessions?context={object}", None),
    ("GET", "objects?type={type}&search={id}", None),
    ("GET", "proposals?object={object}", None),
    ("GET", "proposals?object={object}&status=applied", None),
]
#: Members are told of what is deleted as well: they may bring it back.
OF_HISTORIES: list[tuple[str, str, Any]] = [
    ("GET", "history?object={object}", None),
    ("GET", "history/versions?object={object}&a=1", None),
    ("POST", "history/rollback", {"scope": {"object": {"type": "{type}", "id": "{id}"}, "version": 1}}),
    ("GET", "streams/events/{stream}", None),
]


@pytest.mark.parametrize("role", ["stranger", "viewer", "editor"])
def test_an_id_in_a_body_or_a_query_tells_nothing_either(everybody: World, role: Any) -> None:
    client = client_of(everybody, role, program=True)
    sessions, keys = everybody.ids(role, "session_id"), everybody.ids(role, "key")
    secrets = list(everybody.secrets_for(role, in_admin=False))
    named = {
        kind: {"x": session, "own": sessions["own"], "key": keys.get(kind, keys["random"])}
        for kind, session in sessions.items()
    }
    for request in NESTED:
        _tells_nothing(client, request, named, secrets)


@pytest.mark.parametrize("type_", OBJECT_TYPES)
@pytest.mark.parametrize("role", ["stranger", "viewer", "editor"])
def test_the_name_of_an_object_tells_nothing_either(everybody: World, role: Any, type_: str) -> None:
    client = client_of(everybody, role, program=True)
    sessions, streams = everybody.ids(role, "session_id"), everybody.streams_of(role, type_)
    secrets = list(everybody.secrets_for(role, in_admin=False))
    named = {
        kind: {"own": sessions["own"], "type": type_, "id": key, "object": f"{type_}:{key}", "stream": streams[kind]}
        for kind, key in everybody.ids(role, type_).items()
    }
    for request in OF_OBJECTS:
        _tells_nothing(client, request, named, secrets)
    del named["deleted"]
    for request in OF_HISTORIES:
        _tells_nothing(client, request, named, secrets)


def _tells_nothing(
    client: Client, request: tuple[str, str, Any], named: Mapping[Id, Mapping[str, str]], secrets: list[str]
) -> None:
    """Whatever is put in the place of the names is answered as what never was, unless it is one's own."""
    method, path, body = request
    values = sorted({value for names in named.values() for value in names.values()}, key=len, reverse=True)
    answers: dict[Id, Answer] = {}
    for kind, names in named.items():
        text = json.dumps(body)
        for name, value in names.items():
            text = text.replace(f"{{{name}}}", value)
        answers[kind] = knock(client, method, f"/{PREFIX}{path.format(**names)}", json.loads(text))
    for kind, answer in answers.items():
        difference = answer.differs_from(answers["random"], values)
        assert kind == "own" or not difference, (path, kind, difference)
        assert not [secret for secret in secrets if secret.encode() in answer.body], (path, kind)
        assert kind == "own" or not answer.writes, (path, kind)


@pytest.mark.parametrize("role", ["stranger", "editor"])
def test_nothing_is_put_into_what_is_foreign(everybody: World, role: Any) -> None:
    """Neither made in another workspace's shop nor moved there."""
    client = client_of(everybody, role, program=True)
    shops = {kind: f"shop:{key}" for kind, key in everybody.ids(role, "shop").items()}
    moved = f"/{PREFIX}objects/product/{everybody.ids(role, 'product')['own']}/changes"
    for address, body in (
        (f"/{PREFIX}objects/product", lambda shop: {"fields": {"name": "New"}, "parent": shop}),
        (moved, lambda shop: {"actions": [{"action": "move_object", "arguments": {"parent": shop}}]}),
    ):
        answers = {kind: knock(client, "POST", address, body(shop)) for kind, shop in shops.items()}
        assert answers["own"].differs_from(answers["random"], shops.values()), address
        for kind in ("foreign", "deleted", "random"):
            assert answers[kind].status == 400, (address, kind, answers[kind])
            assert not answers[kind].differs_from(answers["random"], shops.values()), (address, kind)
            assert not answers[kind].writes, (address, kind)


def test_a_viewer_puts_nothing_anywhere(everybody: World) -> None:
    """Not even into the shop that they see."""
    client = client_of(everybody, "viewer", program=True)
    row, shop = (everybody.ids("viewer", type_)["own"] for type_ in ("product", "shop"))
    move = {"action": "move_object", "arguments": {"parent": f"shop:{shop}"}}
    for path, body in (
        ("objects/product", {"fields": {"name": "New"}, "parent": f"shop:{shop}"}),
        ("objects/shop", {"fields": {"name": "New"}}),
        (f"objects/product/{row}/changes", {"actions": [move]}),
        (f"objects/product/{row}/changes", {"actions": [{"action": "delete_object", "arguments": {}}]}),
    ):
        answer = knock(client, "POST", f"/{PREFIX}{path}", body)
        assert (answer.status, answer.writes) == (403, frozenset()), path


#: Nobody registered it, a part of a graph, what streams are called after, another spelling.
NO_KINDS = ("planet", "node", "session", "Product")


def test_what_no_kind_is_called_is_nowhere(everybody: World) -> None:
    """At the doors of one object: whatever there is of that name, the answer is that of an absent object."""
    client = client_of(everybody, "editor", program=True)
    keys = (NOWHERE, "start", everybody.ids("editor", "session_id")["own"], everybody.ids("editor", "product")["own"])
    for door in API_DOORS:
        if door.address.parameters != ["product"]:
            continue
        absent = knock(client, door.method, door.address.with_id(NOWHERE), body_of(door.rule))
        assert absent.status == 404, str(door)
        for type_ in NO_KINDS:
            for key in keys:
                path = door.address.with_id(key).replace("/product/", f"/{type_}/")
                answer = knock(client, door.method, path, body_of(door.rule))
                assert not answer.differs_from(absent, [key, NOWHERE]), path
                assert not answer.writes, path


def test_a_cursor_made_of_a_foreign_row_shows_ones_own_rows_only(everybody: World) -> None:
    foreign = everybody.talks["stranger"].session
    client = client_of(everybody, "editor", program=True)
    for direction in ("after", "before"):
        place = [direction, "2999-01-01T00:00:00+00:00" if direction == "after" else "2000-01-01", str(foreign.pk)]
        page = _page(client, "chat/sessions", place)
        assert [row["title"] for row in page["results"]] == [f"Talk {canary('editor')}"]
        name = ["", "0"] if direction == "after" else ["zzz", str(everybody.graphs["other"].pk)]
        graphs = _page(client, "graphs", [direction, *name])
        assert {row["key"] for row in graphs["results"]} == {"nba", everybody.ids("editor", "key")["own"]}


def _page(client: Client, path: str, place: list[str]) -> Any:
    cursor = base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")
    return json.loads(knock(client, "GET", f"/{PREFIX}{path}?cursor={cursor}").body)


def test_the_cursor_of_another_list_is_refused(everybody: World) -> None:
    client = client_of(everybody, "editor", program=True)
    of_graphs = base64.urlsafe_b64encode(b'["after", "name", "5"]').decode().rstrip("=")
    for path in ("chat/sessions", f"chat/sessions/{everybody.ids('editor', 'session_id')['own']}/messages"):
        assert knock(client, "GET", f"/{PREFIX}{path}?cursor={of_graphs}").status == 400


def test_lists_of_the_admin_find_nothing_foreign_by_any_filter(everybody: World) -> None:
    client = client_of(everybody, "auditor", program=False)
    secrets = list(everybody.secrets_for("auditor", in_admin=True))
    for model, model_admin in admin.site._registry.items():
        if GROUPS[model._meta.label_lower] != "audited":
            continue
        address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        for foreign, absent in _queries(everybody, model, model_admin):
            echoed = [foreign, absent, foreign.partition("=")[2], absent.partition("=")[2]]
            answer = knock(client, "GET", f"{address}?{foreign}")
            other = knock(client, "GET", f"{address}?{absent}")
            difference = answer.differs_from(other, echoed)
            assert not difference, f"{address}?{foreign}: {difference}"
            shown = answer.without(*echoed)[2]
            assert not [secret for secret in secrets if secret.encode() in shown], f"{address}?{foreign}"


def _queries(world: World, model: Any, model_admin: Any) -> list[tuple[str, str]]:
    """Queries that name something foreign, each with one that names nothing."""
    found = [("q=canaryothercanary", "q=canarynevercanary"), ("workspace=other", "workspace=never")]
    for field in model._meta.fields:
        if isinstance(field, ForeignKey) and field.related_model._meta.label_lower in GROUPS:
            foreign = world.rows(field.related_model)["foreign"]
            absent = world.rows(field.related_model)["random"]
            found.append((f"{field.name}__id__exact={foreign}", f"{field.name}__id__exact={absent}"))
            found.append((f"{field.name}={foreign}", f"{field.name}={absent}"))
    path = model_admin.workspace_path
    found += [
        (f"{path}__slug=other", f"{path}__slug=never"),
        (f"{path}__name__endswith=canaryothercanary", f"{path}__name__endswith=canarynevercanary"),
        (f"{path}__memberships__user__password__startswith=p", f"{path}__memberships__user__password__startswith=q"),
    ]
    return found


def test_the_timeline_does_not_know_foreign_runs(everybody: World) -> None:
    client = client_of(everybody, "auditor", program=False)
    address = reverse("admin:chat_session_events", args=[everybody.talks["editor"].session.pk])
    foreign = str(everybody.talks["stranger"].run.pk)
    answer, absent = (knock(client, "GET", f"{address}?run={run}") for run in (foreign, NOWHERE))
    assert answer.status == 400
    assert not answer.differs_from(absent, [foreign, NOWHERE, foreign[:8], NOWHERE[:8]])


def test_head_is_get_without_a_body(everybody: World) -> None:
    for found, program in ((API_DOORS, True), (PAGE_DOORS, False)):
        client = client_of(everybody, "editor", program)
        for door in found:
            if door.method == "GET":
                get, head = (knock(client, method, own(everybody, door)) for method in ("GET", "HEAD"))
                assert (head.status, head.body) == (get.status, b""), str(door)
                assert set(head.headers) == set(get.headers), str(door)


def test_options_names_the_methods_and_nothing_else(everybody: World) -> None:
    methods: dict[str, set[str]] = {}
    for door in API_DOORS:
        methods.setdefault(door.address.path, set()).add(door.method)
    client, nobody = client_of(everybody, "editor", program=True), client_of(everybody, "anonymous", program=True)
    for address in api_addresses():
        ids: Mapping[Any, str] = ids_of(everybody, "editor", address)
        answers = {kind: knock(client, "OPTIONS", address.with_id(value)) for kind, value in ids.items()}
        first = next(iter(answers.values()))
        assert {name.strip() for name in first.headers["Allow"].split(",")} - {"HEAD", "OPTIONS"} == methods[
            address.path
        ]
        assert not [kind for kind, answer in answers.items() if answer.differs_from(first, ids.values())]
        everyone = all(door.rule and door.rule.who == "anyone" for door in API_DOORS if door.address == address)
        assert knock(nobody, "OPTIONS", address.with_id("x")).status == (200 if everyone else 401), address


def test_a_cookie_alone_changes_nothing(everybody: World) -> None:
    """Every unsafe method with a session cookie and without the token of a page of ours."""
    for door in [*API_DOORS, *PAGE_DOORS]:
        if door.method == "GET" or _needs_no_person(door.rule, door):
            continue
        _refuses_a_forged_request(_with_cookie_only(everybody, "editor"), door.method, own(everybody, door), door.rule)
    client = _with_cookie_only(everybody, "superuser")
    for address, (label, view) in of_models().items():
        if view not in {"redirect", "history"}:
            model = next(each for each in admin.site._registry if each._meta.label_lower == label)
            _refuses_a_forged_request(client, "POST", address.with_id(everybody.rows(model)["own"]), None)
    for path in SITE:
        if path in {"", "logout/", "login/", "password_change/"}:
            _refuses_a_forged_request(client, "POST", f"/admin/{path}", None)


def _with_cookie_only(world: World, role: Any) -> Client:
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.force_login(world.users[role])
    return client


def _refuses_a_forged_request(client: Client, method: str, address: str, rule: Rule | None) -> None:
    answer = knock(client, method, address, body_of(rule))
    assert answer.status == 403, (method, address)
    assert b"csrf" in answer.body.lower() or b"CSRF" in answer.body, (method, address)
    assert not answer.writes, (method, address)


def _needs_no_person(rule: Rule | None, door: Door) -> bool:
    """Tokens are exchanged without a cookie, the icon is sent on whatever the method, and some are only read."""
    path = door.address.path
    return path.startswith(f"{PREFIX}auth/") or path in {"favicon.ico", "healthz", "readyz", "metrics"}


MALFORMED = ("nonsense", "0", "null", "1%20OR%202", "%C3%A9", "..", "x" * 90)


def test_what_is_no_id_names_nothing(everybody: World) -> None:
    for found, program in ((API_DOORS, True), (PAGE_DOORS, False)):
        client = client_of(everybody, "editor", program)
        for door in found:
            if not door.address.parameters:
                continue
            ids = everybody.ids("editor", door.address.parameters[0])
            absent = knock(client, door.method, door.address.with_id(ids["random"]), body_of(door.rule))
            for value in MALFORMED:
                answer = knock(client, door.method, door.address.with_id(value), body_of(door.rule))
                assert not answer.differs_from(absent, [*ids.values(), value]), (str(door), value)
