"""What a stronger model reads when it is asked to go deeper than another one's answer."""

import json
import re

#: Characters of an earlier question that are repeated; the whole of it stands in the history.
MAX_QUESTION_CHARS = 4_000

_EARLIER = "an earlier question of theirs"
_QUOTED = re.compile(rf'{_EARLIER}, "(?:[^"\\]|\\.)*"')
_AGAIN = (
    "Answer it again, on your own and more thoroughly: check with your tools what the first answer claims, "
    "find out what it left open, and correct what is wrong in it. Do not repeat what was right and needs no more. "
    "Propose no change again that was proposed already."
)


def note_about(earlier_question: str) -> str:
    """The note, on one line, between brackets. `earlier_question` is empty if the person's last question is meant."""
    if not earlier_question:
        return f"[Not written by the person. They ask a stronger model to go deeper into their last question. {_AGAIN}]"
    return (
        f"[Not written by the person. They ask a stronger model to go deeper into {_EARLIER}, "
        f"{_quoted(earlier_question)}, which was answered above. {_AGAIN}]"
    )


def quotes(note: str, question: str) -> bool:
    return f"{_EARLIER}, {_quoted(question)}, " in note


def without_quote(note: str) -> str:
    return _QUOTED.sub(_EARLIER, note)


def _quoted(question: str) -> str:
    return json.dumps(question[:MAX_QUESTION_CHARS], ensure_ascii=False)
