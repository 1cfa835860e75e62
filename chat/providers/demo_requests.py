"""Which change a person asks the demo for, in English or French. Called by `demo_questions.py`."""

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["rename", "replace", "move", "connect", "disconnect", "delete", "insert", "set", "arrange"]


@dataclass(frozen=True, slots=True)
class Request:
    """`names` are the nodes that it names, in the person's words; `words` is whatever else was said, by its part."""

    kind: Kind
    names: tuple[str, ...]
    words: dict[str, str]


_QUOTE = r"[\"'`«»“”]\s*"
_ADD = r"(?:add|insert|create|ajoute[rz]?|insere[rz]?|cree[rz]?)"
_DELETE = r"(?:delete|remove|supprime[rz]?|enleve[rz]?)"
_MOVE = r"(?:move|deplace[rz]?)"
_SET = r"(?:set|change|update|mets|mettre|mettez|modifie[rz]?|change[rz]?)"
_THE = r"(?:the |le |la |les |l')?"
_TO = r"(?:to|as|into|en|a)"

#: Tried in order on the text without accents and capitals. `s` and `t` name nodes, the other groups are words.
_PATTERNS: tuple[tuple[Kind, str], ...] = (
    ("arrange", r"(?:reorgani[sz]e[rz]?|tidy(?: up)?|re-?arrange|range[rz]?)\b"),
    ("rename", rf"(?:rename|renomme[rz]?)\s+(?P<s>.+?)\s+{_TO}\s+(?P<name>.+)"),
    ("rename", rf"{_SET}\s+(?:the name of|le nom d[eu])\s+(?P<s>.+?)\s+{_TO}\s+(?P<name>.+)"),
    (
        "replace",
        rf"(?:replace|remplace[rz]?)\s+{_QUOTE}(?P<old>.+?)\s*{_QUOTE}(?:with|by|par)\s+{_QUOTE}(?P<new>.*?)\s*{_QUOTE}"
        r"(?:in|dans)\s+(?P<s>.+)",
    ),
    ("move", rf"{_MOVE}\s+(?P<s>.+?)\s+(?:to|en|a|vers)\s+(?P<x>-?\d+)\s*[,;x ]\s*(?P<y>-?\d+)"),
    ("move", rf"{_MOVE}\s+(?P<s>.+?)\s+(?:to|onto|vers|sur)\s+{_THE}(?:sheet|feuille)\s+(?P<sheet>.+)"),
    (
        "move",
        rf"{_MOVE}\s+(?P<s>.+?)\s+(?:to the |a |vers )?{_THE}(?P<way>right|left|up|down|droite|gauche|haut|bas)\b",
    ),
    ("connect", r"(?:connect|connecte[rz]?|relie[rz]?)\s+(?P<s>.+?)\s+(?:to|with|and|a|avec|et)\s+(?P<t>.+)"),
    ("disconnect", r"(?:disconnect|deconnecte[rz]?)\s+(?P<s>.+?)\s+(?:from|and|de|et)\s+(?P<t>.+)"),
    (
        "disconnect",
        rf"{_DELETE}\s+{_THE}(?:edge|connection|connexion|lien)\s+(?:between|from|entre|de)\s+(?P<s>.+?)"
        r"\s+(?:and|to|et|a)\s+(?P<t>.+)",
    ),
    ("delete", rf"{_DELETE}\s+(?P<s>.+?)(?:\s+(?:and|et)\s+(?P<t>.+))?$"),
    ("insert", rf"{_ADD}\s+(?P<what>.+?)\s+(?P<side>before|after|avant|apres)\s+(?P<s>.+)"),
    (
        "set",
        rf"{_SET}\s+{_THE}(?P<field>[\w.-]+)\s+(?:of|in|on|for|de|du|dans|sur)\s+(?P<s>.+?)\s+(?:{_TO}|sur|=)\s+"
        r"(?P<value>.+)",
    ),
)
_POLITE = r"^(?:(?:please|can you|could you|would you|peux-tu|pourrais-tu|tu peux|s'il te plait),? )?"


def find(text: str, folded: str) -> tuple[Kind, dict[str, str]] | None:
    """The kind of change, and the parts of the text that say which; `folded` has no accents and no capitals."""
    for kind, pattern in _PATTERNS:
        if match := re.search(_POLITE + pattern, folded):
            return kind, {name: text[slice(*match.span(name))] for name, part in match.groupdict().items() if part}
    return None
