"""What the scripted vendor answers to the questions of the crash scenarios."""

import json
import uuid
from typing import Any

LOOK = {"text": "I look.", "tool_calls": [{"name": "search_nodes", "arguments": {"query": "fetch"}}]}
PROPOSE = {
    "text": "I change two things.",
    "tool_calls": [
        {
            "name": "propose_update_node",
            "arguments": {"nodeKey": "fetch-api", "updates": {"name": "Fetch"}, "reason": "Short."},
        },
        {"name": "propose_move_node", "arguments": {"nodeKey": "return", "posX": 600, "posY": 0, "reason": "Room."}},
    ],
}
TELL = {"text": "It fetches the games and gives them back to you.", "delay_s": 0.02}
SHORT = {"text": "It fetches the games.", "delay_s": 0.4}
SLOW = {"text": " ".join(["word"] * 200), "delay_s": 0.1}


def asked(*scripts: dict[str, Any]) -> str:
    """A question of its own that the scripted vendor answers so."""
    return f"SCRIPT={json.dumps(scripts)} {uuid.uuid4()}"
