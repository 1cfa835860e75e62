"""What every door answers to whom: the expectations that the generated matrix is compared with.

A door without a rule fails the build.
"""

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal

from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from tests.doors.world import MEMBERSHIPS, NOWHERE, OBJECT_TYPES, Id, RoleName

#: Who is let in. "anyone": with the right id, where the address has one. "member": of the workspace; a door with an id
#: in its address opens for its owner only. "decider": an editor; a viewer is told first whether there is such a thing.
Who = Literal["anyone", "person", "member", "editor", "decider"]
FILE = json.dumps(
    {
        "format": "countersign.graph",
        "formatVersion": 1,
        "key": "new",
        "name": "New",
        "sheets": [{"key": "main", "name": "Main"}],
        "nodes": [{"key": "a", "type": "step", "sheet": "main"}],
        "edges": [],
    }
).encode()


@dataclass(frozen=True, slots=True)
class Rule:
    """Who gets `status` when they send `body`; others get what `refused` says."""

    who: Who
    status: int
    body: Any = None

    def multipart(self) -> bool:
        return isinstance(self.body, dict) and "file" in self.body


def new_file() -> dict[str, SimpleUploadedFile]:
    return {"file": SimpleUploadedFile("new.json", FILE)}


def new_rows() -> dict[str, SimpleUploadedFile]:
    return {"file": SimpleUploadedFile("new.csv", b"name\nNew\n")}


ROWS: dict[str, Any] = {"file": "rows"}
ANYTHING: dict[str, Any] = {"file": True}
NOTE = {"typeKey": "note", "sheet": "main", "posX": 0, "posY": 0}
#: The field that an object is known by.
TITLES = {
    "graph": "name",
    "nodeType": "displayName",
    "product": "name",
    "company": "name",
    "folder": "name",
    "usecase": "data.name",
    "executive_summary": "executive_summary.analysis",
}
LINK = {"link": True, "expiresAt": (timezone.now() + timedelta(days=1)).isoformat()}
_WRONG = {"username": "nobody", "password": "wrong"}


def _of_object(type_: str) -> dict[str, Rule]:
    """The doors of one object, which every kind has."""
    rename = {"action": "update_object", "arguments": {"updates": {TITLES[type_]: "New"}}}
    address = f"objects/{type_}/{{{type_}}}"
    return {
        f"GET {address}": Rule("member", 200),
        f"POST {address}/changes": Rule("decider", 201, {"actions": [rename]}),
        f"PUT {address}/always-send": Rule("decider", 200, {"alwaysSend": True}),
        f"GET {address}/stream": Rule("member", 200),
        # A view has no rows of its own that a copy could be of.
        f"POST {address}/copy": Rule("decider", 400 if type_ == "executive_summary" else 201, {}),
        f"POST {address}/trust": Rule("decider", 200),
    }


API: dict[str, Rule] = {
    "POST auth/token": Rule("anyone", 401, _WRONG),
    "POST auth/token/refresh": Rule("anyone", 401, {"refresh": "nonsense"}),
    "POST auth/token/revoke": Rule("anyone", 401, {"refresh": "nonsense"}),
    "GET graphs": Rule("member", 200),
    "POST graphs": Rule("editor", 201, {"name": "Made"}),
    "GET graphs/import": Rule("member", 404),
    "POST graphs/import": Rule("editor", 201, ANYTHING),
    "GET graphs/{key}": Rule("member", 200),
    "POST graphs/{key}/changes": Rule("decider", 201, {"actions": [{"action": "create_node", "arguments": NOTE}]}),
    "GET graphs/{key}/export": Rule("member", 200),
    "POST graphs/{key}/trust": Rule("decider", 200),
    "GET node-types": Rule("member", 200),
    "POST node-types/{node_type}/trust": Rule("decider", 200),
    "GET kinds": Rule("member", 200),
    "GET objects": Rule("member", 400),
    "POST objects/{kind}": Rule("decider", 201, {"fields": {"displayName": "New"}}),
    "GET objects/{object_type}/import": Rule("member", 404),
    "POST objects/{object_type}/import": Rule("decider", 201, ROWS),
    "GET objects/{object_type}/export": Rule("member", 404),
    "GET folders/{folder}/matrix": Rule("member", 200),
    "GET folders/{folder}/matrix.svg": Rule("member", 200),
    "GET folders/{folder}/matrix.png": Rule("member", 200),
    "POST folders/{folder}/matrix/preview": Rule("decider", 200, {"matrixConfig": {}}),
    "GET history": Rule("member", 400),
    "GET history/export": Rule("member", 400),
    "GET history/versions": Rule("member", 400),
    "GET history/{change_set_id}": Rule("member", 200),
    "POST history/rollback": Rule("editor", 404, {"scope": {"session": "nowhere"}}),
    "POST history/{change_set_id}/rollback": Rule("decider", 200, {"preview": True}),
    "GET schema": Rule("person", 200),
    "POST chat/messages": Rule("member", 202, {"message": "Hello"}),
    "GET chat/messages/{message_id}/stream-events": Rule("member", 200),
    "POST chat/messages/{message_id}/deepen": Rule("member", 409, {}),
    "PUT chat/messages/{message_id}/feedback": Rule("member", 200, {"vote": 1, "comment": "Good"}),
    "PATCH chat/messages/{message_id}": Rule("member", 200, {"inPrompt": "pinned"}),
    "GET always-send": Rule("member", 200),
    "PUT graphs/{key}/always-send": Rule("decider", 200, {"alwaysSend": True}),
    "POST chat/links": Rule("member", 200, {"objects": ["graph:demo"]}),
    "GET chat/models": Rule("member", 200),
    "GET chat/sessions": Rule("member", 200),
    "GET chat/sessions/{session_id}": Rule("member", 200),
    "PATCH chat/sessions/{session_id}": Rule("member", 200, {"title": "New"}),
    "DELETE chat/sessions/{session_id}": Rule("member", 204),
    "GET chat/sessions/{session_id}/export": Rule("member", 400),
    "GET chat/sessions/{session_id}/messages": Rule("member", 200),
    "GET chat/sessions/{session_id}/stream-events": Rule("member", 200),
    "POST chat/sessions/{session_id}/resume": Rule("member", 409, {"answer": "Yes"}),
    "POST chat/sessions/{session_id}/retry": Rule("member", 409, {}),
    "POST chat/sessions/{session_id}/stop": Rule("member", 204, {}),
    "GET prompts": Rule("member", 200),
    "POST prompts": Rule("editor", 201, {"key": "made", "name": "Made", "type": "company_info"}),
    "GET prompts/{prompt_key}": Rule("member", 200),
    "PATCH prompts/{prompt_key}": Rule("decider", 200, {"archived": False}),
    "GET prompts/{prompt_key}/compare": Rule("member", 400),
    "POST prompts/{prompt_key}/versions": Rule("decider", 201, {"text": {"en": "{{company}}"}, "reason": "Why"}),
    "GET prompts/{prompt_key}/versions/{version}": Rule("member", 200),
    "POST prompts/{prompt_key}/versions/{version}/activate": Rule("decider", 200, {}),
    "POST prompts/{prompt_key}/versions/{version}/try": Rule(
        "decider", 404, {"context": {"type": "company", "id": NOWHERE}}
    ),
    "GET chat/sessions/{session_id}/shares": Rule("member", 200),
    "POST chat/sessions/{session_id}/shares": Rule("member", 201, LINK),
    "DELETE chat/sessions/{session_id}/shares": Rule("member", 204),
    "GET structured/{structured_id}": Rule("member", 200),
    # Here it names a prompt, and no prompt has the id of a run.
    "POST structured/{structured_id}": Rule("editor", 404, {"context": {"type": "company", "id": NOWHERE}}),
    "PATCH structured/{structured_id}/cancel": Rule("decider", 200, {}),
    "GET proposals": Rule("member", 200),
    "GET proposals/waiting": Rule("member", 200),
    "POST proposals/decide": Rule("editor", 200, {"approved": False, "sessionId": NOWHERE}),
    "GET proposals/{proposal_id}": Rule("member", 200),
    "POST proposals/{proposal_id}/preview": Rule("decider", 200, {}),
    "POST proposals/{proposal_id}/decide": Rule("decider", 200, {"approved": True}),
    "POST proposals/{proposal_id}/propose-again": Rule("decider", 409, {}),
    "GET queue": Rule("member", 200),
    "POST queue/{entry_id}/cancel": Rule("member", 409, {}),
    "POST queue/{entry_id}/retry": Rule("member", 409, {}),
    "GET search": Rule("member", 400),
    "GET streams/sse": Rule("person", 503),
    "GET streams/events/{stream_name}": Rule("member", 200),
    **{door: rule for type_ in OBJECT_TYPES for door, rule in _of_object(type_).items()},
}  # fmt: skip
RECORDS = ("companies", "folders", "use-cases")
PAGES: dict[str, Rule] = {
    "GET healthz": Rule("anyone", 200),
    "GET readyz": Rule("anyone", 200),
    **{f"{method} metrics": Rule("anyone", 404) for method in ("GET", "POST", "PUT", "PATCH", "DELETE")},
    **{f"{method} favicon.ico": Rule("anyone", 302) for method in ("GET", "POST", "PUT", "PATCH", "DELETE")},
    **{f"{method} i18n/setlang/": Rule("anyone", 302) for method in ("GET", "POST", "PUT", "PATCH", "DELETE")},
    "GET ": Rule("person", 200),
    "GET accounts/login/": Rule("anyone", 200),
    "POST accounts/login/": Rule("anyone", 200, _WRONG),
    "PUT accounts/login/": Rule("anyone", 200),
    "POST accounts/logout/": Rule("anyone", 302),
    "GET account/": Rule("person", 200),
    "POST account/password/": Rule("person", 400, {}),
    "POST account/sign-ins/end-others/": Rule("person", 302),
    "POST account/sign-ins/{sign_in}/end/": Rule("person", 302),
    "GET import/": Rule("editor", 200),
    "POST import/": Rule("editor", 201, ANYTHING),
    "GET objects/{kind}/import/": Rule("decider", 200),
    "POST objects/{kind}/import/": Rule("decider", 200, ROWS),
    "GET graphs/{key}/": Rule("member", 200),
    "POST graphs/{key}/trust/": Rule("decider", 302),
    "GET node-types/{node_type}/": Rule("member", 200),
    "POST node-types/{node_type}/trust/": Rule("decider", 302),
    **{f"GET {kinds}/": Rule("member", 200) for kinds in RECORDS},
    **{f"POST {kinds}/new/": Rule("editor", 302, {"name": "New"}) for kinds in RECORDS},
    **{f"POST {kinds}/status/": Rule("editor", 302, {"status": "ready"}) for kinds in RECORDS},
    "GET companies/{company}/": Rule("member", 200),
    "GET folders/{folder}/": Rule("member", 200),
    "GET folders/{folder}/matrix/": Rule("member", 200),
    "GET use-cases/{usecase}/": Rule("member", 200),
    "GET inbox/": Rule("member", 200),
    "GET prompts/": Rule("member", 200),
    "POST prompts/new/": Rule("editor", 400),
    "GET prompts/{prompt_key}/": Rule("member", 200),
    "POST prompts/{prompt_key}/versions/": Rule("decider", 400),
    "POST prompts/{prompt_key}/activate/": Rule("decider", 404),
    "POST prompts/{prompt_key}/archive/": Rule("decider", 302),
    "POST prompts/{prompt_key}/try/": Rule("decider", 404),
    "GET conversations/{session_id}/replay/": Rule("member", 200),
    "GET conversations/{session_id}/replay/events/": Rule("member", 200),
    "GET shared/{token}/": Rule("anyone", 200),
    "GET queue/": Rule("member", 200),
    "GET search/": Rule("member", 200),
}


def expected(rule: Rule, role: RoleName, id_: Id | None, anonymous: int) -> int:
    """What a door of the API or of the pages answers; `anonymous` is the status that asks to sign in."""
    if rule.who == "anyone":
        return rule.status if id_ in (None, "own") else 404
    if role == "anonymous":
        return anonymous
    if rule.who == "person":
        return rule.status
    if role not in MEMBERSHIPS:
        return 404
    if rule.who == "editor" and role == "viewer":
        return 403
    if id_ not in (None, "own"):
        return 404
    return 403 if rule.who == "decider" and role == "viewer" else rule.status
