"""The proposals of the fake server: decided at once, as the test says, and told to everybody who watches."""

import uuid
from typing import Any
from urllib.parse import parse_qs

from tests.chat.widget.fake_log import START, FakeSession, Json

TEXT: Json = {"field": "name", "label": "name", "form": "text", "old": "Fetch API", "new": "Fetch games"}


def updated(*fields: Json, key: str = "fetch-api", label: str = "Fetch API") -> Json:
    """One entry of a diff: a node that changes."""
    return {"object": {"type": "node", "id": key}, "label": label, "action": "update", "fields": list(fields)}


def as_json(session: FakeSession, message_id: str, **fields: Any) -> Json:
    """A proposal as the API gives it."""
    id_ = str(uuid.uuid4())
    return {
        "id": id_,
        "sessionId": session.id,
        "messageId": message_id,
        "toolCallId": f"call-{id_}",
        "status": "pending",
        "tool": "propose_update_node",
        "object": {"type": "graph", "id": "nba"},
        "arguments": {"nodeKey": "fetch-api", "updates": {"name": "Fetch games"}},
        "reason": "It fetches games.",
        "diff": [updated(TEXT)],
        "counts": {"node": {"update": 1}},
        "cut": [],
        "digest": "d1",
        "targets": [],
        "askedBy": [{"level": "default", "why": ""}],
        "createdAt": START.isoformat(),
        "expiresAt": "2099-01-01T00:00:00+00:00",
        "decidedBy": None,
        "decidedAt": None,
        "feedback": "",
        "changeSetId": None,
        "undoneBy": None,
        "conflicts": [],
        **fields,
    }


class FakeProposals:
    """`asked` are the requests. `refusals` answer the next request of a path, once, with a status and a body."""

    def __init__(self) -> None:
        self.by_id: dict[str, Json] = {}
        self.asked: list[tuple[str, Json]] = []
        self.refusals: dict[str, tuple[int, Json]] = {}
        self.preview: Json = {}
        self.rollbacks = 0

    def add(self, session: FakeSession, message_id: str, **fields: Any) -> Json:
        proposal = as_json(session, message_id, **fields)
        self.by_id[proposal["id"]] = proposal
        return proposal

    def decided(self, id_: str, status: str, **fields: Any) -> Json:
        """What it is after a decision of Alice."""
        made = f"set-{id_[:8]}" if status == "applied" else None
        changes = {"status": status, "decidedBy": "alice", "decidedAt": START.isoformat(), "changeSetId": made}
        self.by_id[id_] |= changes | fields
        return self.by_id[id_]

    def answer(self, path: str, query: str, body: Json) -> tuple[int, Json]:
        """Status and body for a request below `/api/v1/`."""
        self.asked.append((path, body))
        if path in self.refusals:
            return self.refusals.pop(path)
        match path.split("/"):
            case ["objects", type_, _key, "stream"]:
                return 200, {"stream": f"{type_}_7"}
            case ["streams", "events", _name]:
                return 200, {"events": [], "last": 0}
            case ["history", id_, "rollback"]:
                return 201, {"id": self._rolled_back(id_)}
            case ["proposals"]:
                return 200, {"results": self._listed(parse_qs(query)), "next": None, "previous": None}
            case ["proposals", "decide"]:
                return 200, {"results": [self._result(id_, body) for id_ in body["ids"]]}
            case ["proposals", id_]:
                return 200, self.by_id[id_]
            case ["proposals", id_, "decide"]:
                return 200, {"proposal": self._result(id_, body)["proposal"]}
            case ["proposals", _id, "preview"]:
                return 200, self.preview
            case ["proposals", _id, "propose-again"]:
                return 202, {}
        return 404, {"title": "Not found"}

    def _rolled_back(self, id_: str) -> str:
        self.rollbacks += 1
        made = f"rollback-{self.rollbacks}"
        for proposal in self.by_id.values():
            if id_ == proposal["changeSetId"]:
                proposal["undoneBy"] = made
            elif id_ == proposal["undoneBy"]:
                proposal["undoneBy"] = None
        return made

    def _listed(self, query: dict[str, list[str]]) -> list[Json]:
        wanted = query.get("status", ["pending"])
        return [proposal for proposal in self.by_id.values() if proposal["status"] in wanted]

    def _result(self, id_: str, body: Json) -> Json:
        status = "applied" if body["approved"] else "rejected"
        return {"id": id_, "status": status, "proposal": self.decided(id_, status, feedback=body.get("feedback", ""))}

    def body_of(self, path: str) -> Json:
        """What was sent last to an address that ends like this."""
        return next(body for asked, body in reversed(self.asked) if asked.endswith(path))
