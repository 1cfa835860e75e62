"""What a stronger model is told when it is asked to go deeper than an answer of another one. Called by `deepening`."""

import json

#: Characters of an earlier question that are repeated; the whole of it stands in the history.
MAX_QUESTION_CHARS = 4_000

_AGAIN = (
    "Answer it again, on your own and more thoroughly: check with your tools what the first answer claims, "
    "find out what it left open, and correct what is wrong in it. Do not repeat what was right and needs no more. "
    "Propose no change again that was proposed already."
)


def note_about(earlier_question: str) -> str:
    """On one line, between brackets. `earlier_question` is empty where the last question of the person is meant."""
    if not earlier_question:
        return f"[Not written by the person. They ask a stronger model to go deeper into their last question. {_AGAIN}]"
    quoted = json.dumps(earlier_question[:MAX_QUESTION_CHARS], ensure_ascii=False)
    return (
        "[Not written by the person. They ask a stronger model to go deeper into an earlier question of theirs, "
        f"{quoted}, which was answered above. {_AGAIN}]"
    )
