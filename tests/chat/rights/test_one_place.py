"""Who may read a conversation is decided in one module, and the doors have it from there."""

import re
from collections.abc import Iterator
from pathlib import Path

CHAT = Path(__file__).resolve().parents[3] / "chat"
#: What says whose a conversation is, and whether it is deleted, in Python or in SQL.
_WHOSE = re.compile(r"\b(?:owner_id|hidden_at|chat_sessions|session__owner|session\.owner|owner=|owner__\w)")
WHOSE = {
    "actions/conversations.py": "stores whose a new one is; deletes one",
    "api/sessions.py": "shows the name of whose it is",
    "models/conversation.py": "the columns",
    "proposals/explaining.py": "the name of whose it is, which every member may know",
    "queries/conversations.py": "lists one's own, and asks that it is one's own to share or name it",
    "queries/exported.py": "the name of who wrote",
    "queries/proposals.py": "who may see a proposal to make what nobody has seen yet",
    "queries/shares.py": "leaves out who needs no share",
    "queries/streams.py": "asks what may be read, with the columns that this needs",
    "queue/answers.py": "tells only of one's own more than that they run",
    "replay_page.py": "replays one's own",
    "rights/links.py": "decides of links",
    "rights/reading.py": "decides",
    "searching/messages.py": "finds among those that may be read",
    "views.py": "the inbox, which all members read, by the name of whose conversation it came from",
}
#: What takes conversations and messages as they are in the table, whoever may read them.
_TAKES = re.compile(r"\b(?:Session|Message|StreamEvent)\.objects\b")
#: Rooms between the doors and the tables; others work for whoever asked before.
ROOMS = (
    *("access", "actions", "api", "live", "proposals", "queries", "rights", "searching", "sockets", "templatetags"),
    *("tools", "web"),
)
TAKES = {
    "actions/conversations.py": "writes in one that is held",
    "actions/deciding.py": "holds that of a proposal, which every member may decide",
    "actions/deepening.py": "writes in one that is held",
    "actions/erasing.py": "for the operator",
    "actions/pinning.py": "reads a message of one that is held",
    "proposals/explaining.py": "names of whose they are; what they are about only where they may be read",
    "queries/conversations.py": "messages of those that may be read",
    "queries/proposals.py": "the workspace of one, for members",
    "rights/reading.py": "decides",
    "searching/messages.py": "finds among those that may be read",
    "tools/conversation_reading.py": "the one in which the model is asked",
    "tools/conversation_search.py": "of what was found, what people wrote themselves",
    "tools/named_addresses.py": "the one in which the model is asked",
}


def _with(what: re.Pattern[str], rooms: tuple[str, ...]) -> Iterator[str]:
    for path in sorted(CHAT.rglob("*.py")):
        name = path.relative_to(CHAT).as_posix()
        if (name.split("/")[0] in rooms or "/" not in name) and what.search(path.read_text()):
            yield name


def test_nothing_else_says_whose_a_conversation_is() -> None:
    """Those of the admin are the audit: staff read what is in their workspaces."""
    rooms = tuple({path.name for path in CHAT.iterdir() if path.is_dir()} - {"admin", "migrations"})
    assert list(_with(_WHOSE, rooms)) == list(WHOSE)


def test_nothing_else_takes_conversations_from_their_table() -> None:
    assert list(_with(_TAKES, ROOMS)) == list(TAKES)
