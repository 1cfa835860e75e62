"""What a question to the demo asks for, in English or French. Called by `demo.py`."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from chat.providers import demo_requests
from chat.providers.demo_requests import Request

Language = Literal["en", "fr"]
Kind = Literal["overview", "detail", "after", "before", "failure", "find", "change", "help", "other"]


@dataclass(frozen=True, slots=True)
class Question:
    """`subject` is what it is about, in the asker's own words; empty where it names nothing.

    `request` is the change it asks for, None where that cannot be told.
    """

    kind: Kind
    subject: str
    language: Language
    request: Request | None = None


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_GRAPH_WORD = r"(?:graph|workflow|flow|automation|graphe|flux|schema)"
_THIS_GRAPH = rf"(?:this|the|my|ce|cet|cette|le|la|mon)\s+{_GRAPH_WORD}"
_HAPPENS = (
    r"(?:what (?:happens|would happen)|que se passe[- ]t[- ]il|qu'arrive[- ]t[- ]il|il se passe quoi"
    r"|qu'est[- ]ce qui se passe)"
)
_WHEN = r"(?:(?:when|if|quand|lorsque|si)\s+|lorsqu'|s')"
_FAILS = (
    r"(?:fails?|failed|errors?|breaks?|crash\w*|is down|goes? wrong|times? out|returns? an error|is unavailable"
    r"|(?:n')?echoue\w*|plante\w*|tombe|est en panne|ne (?:repond|fonctionne|marche) pas|renvoie une erreur)"
)
_COMES = r"\b(?:comes?|follows?|runs?|goes|is|are|vient|viennent|precede|y a[- ]t[- ]il)\s+(?:just |right |juste )?"
_TELL = r"(?:describe|explain|summari[sz]e|present|contains?|decris|explique|resume|presente|contient|does|fait)"
_HERE = rf"(?:\s+(?:in|of|dans|de)\s+{_THIS_GRAPH})?"
_WHAT_IS = (
    r"(?:what(?:'s| is| is there| do we have)?|qu'y a[- ]t[- ]il|qu'est[- ]ce qu'il y a|il y a quoi|quoi|tell me)"
)
_PARTS = r"(?:(?:to )?me|moi|what(?:'s| is) (?:in|this)|the (?:nodes|steps) (?:of|in)|les (?:noeuds|etapes) d[eu])"
_SHOW_EN = r"(?:find|search(?: for)?|look for|locate|list|show(?: me)?|where (?:is|are)|which nodes?(?: \w+)?)"
_SHOW_FR = (
    r"(?:(?:trouve|cherche|liste|montre)(?:r|z)?(?:-moi)?|ou (?:est|sont|se trouve(?:nt)?)"
    r"|quels? (?:sont les )?noeuds?)"
)
_ASK_FR = r"(?:que fait|que font|a quoi (?:sert|servent)|qu'est[- ]ce que fait|c'est quoi|qu'est[- ]ce que?)"
_CHANGE = (
    r"(?:add|remove|delete|rename|change|move|update|create|insert|replace|connect|disconnect|improve|set"
    r"|reorgani[sz]e|tidy|re-?arrange|(?:reorganise|range|relie|deconnecte|insere|mette|ajoute|supprime|enleve|renomme|change|modifie|deplace|remplace|connecte|ameliore)[rz]?|mets|cree[rz]?)"
)
_END = r"\s*\W*$"

#: Tried in order on the question without accents and capitals; the group `s`, where there is one, is the subject.
_PATTERNS: tuple[tuple[Kind, str], ...] = (
    ("help", r"^(?:hi|hello|hey|help|bonjour|bonsoir|salut|coucou|aide)\b[\s!.,?]*(?:me|moi)?[\s!.?]*$"),
    ("help", r"^(?:what can you do|who are you|are you an? \w+|que (?:sais|peux)[- ]tu faire|qui es[- ]tu)\b"),
    ("change", rf"^(?:please |can you |could you |peux-tu )?{_CHANGE}\b"),
    ("failure", rf"(?:{_HAPPENS}\s+)?\b{_WHEN}(?P<s>.+?)\s+{_FAILS}"),
    ("failure", r"error handling|errors? (?:are |is )?handled|handles? (?:the )?errors?"),
    ("failure", r"gestion des erreurs|en cas d'erreur"),
    ("failure", rf"\b{_WHEN}(?:une |an )?err(?:eur|or) (?:survient|arrive|occurs|happens)"),
    ("after", rf"{_HAPPENS}.*?\b(?:after|apres)\s+(?P<s>.+)"),
    ("before", rf"{_HAPPENS}.*?\b(?:before|avant)\s+(?P<s>.+)"),
    ("after", rf"{_COMES}(?:after|apres)\s+(?P<s>.+)"),
    ("after", r"^what follows\s+(?P<s>.+)"),
    ("before", rf"{_COMES}(?:before|avant)\s+(?P<s>.+)"),
    ("after", r"^(?:what|where) does (?P<s>.+?) (?:lead|go)\b|^ou mene "),
    ("overview", rf"^(?:{_WHAT_IS}|an? )?\W*(?:in|about|of|dans|de|sur)\s+{_THIS_GRAPH}{_END}"),
    ("overview", rf"\b{_TELL}\W*(?:{_PARTS}\s+)?{_THIS_GRAPH}"),
    ("overview", rf"{_THIS_GRAPH}\s+(?:do|does|contain|contient|fait)\b"),
    ("overview", r"^(?:what|which|quels?) (?:nodes|noeuds) (?:are|exist|y a)"),
    ("overview", r"^(?:give me )?(?:an? )?(?:overview|summary|apercu|vue d'ensemble|resume)\b"),
    ("detail", rf"^what(?:'s| is| are| does| do)\s+(?P<s>.+?)(?:\s+(?:do|doing|for|used for))?{_HERE}{_END}"),
    ("detail", rf"^(?:explain|describe|tell me about|details of|how does)\s+(?P<s>.+?)(?:\s+works?)?{_END}"),
    ("detail", rf"^{_ASK_FR}\s*'?\s*(?P<s>.+?){_END}"),
    ("detail", rf"^(?:(?:explique|decris)(?:-moi)?|parle-moi de|comment (?:marche|fonctionne))\s+(?P<s>.+?){_END}"),
    ("find", rf"^(?:please )?{_SHOW_EN}\s+(?P<s>.+?){_END}"),
    ("find", rf"^{_SHOW_FR}\s+(?P<s>.+?){_END}"),
)
#: How people ask for a change, which may be all that tells their language.
_FRENCH_VERBS = _words(
    "reorganise range relie deconnecte insere ajoute supprime enleve renomme modifie deplace remplace connecte "
    "ameliore cree"
)
_FRENCH = _words(
    "que quoi qu est-ce fait font apres avant quand lorsque si le les ce cette graphe trouve cherche ou comment "
    "noeud noeuds contient echoue bonjour bonsoir salut aide dans des une du sert passe-t-il il explique decris "
    "montre quel quels quelle et vient qui cas gestion erreurs sont resume mon ma presente suit un "
    "mets mettre mettez droite gauche haut bas feuille"
) | {f"{verb}{ending}" for verb in _FRENCH_VERBS for ending in ("", "r", "z")}
_ENGLISH = _words(
    "what does do the is are happens happen after before when if find search where which how this in node nodes "
    "hello help explain describe show tell me of and graph workflow fails that there summarise summarize handled "
    "you"
)
_LEADING = (
    r"^(?:(?:the|a|an|all|any|nodes?|steps?|that|which|called|named|for|me|le|la|les|un|une|des|du|de|n(?:oe|œ)uds?|étape|tous"
    r"|toutes|qui)\s+|[ld]['’]\s*)+"
)
_TRAILING = (
    r"(?:\s+(?:nodes?|steps?|please|s'il (?:te|vous) pla[iî]t"
    r"|(?:in|of|dans) (?:this|the|ce|le) (?:graph|graphe|workflow|flux)))+$"
)
_AROUND_SUBJECT = re.compile(f"{_LEADING}|{_TRAILING}", re.IGNORECASE)
_NEXT_CLAUSE = re.compile(r"[,;?]\s|\s(?:and|et) (?:what|then|que|qu'|after|before|ensuite)")
_AROUND = " \t\n?!.,;:\"'`«»“”"
#: What typesetting makes of an apostrophe and of the space before a question mark.
_AS_TYPED = str.maketrans({"’": "'", "\u00a0": " ", "\u202f": " "})
#: Characters of a question that are read: the patterns take quadratic time.
MAX_READ = 500
_MENTION = re.compile(r"\{\{\s*node:\s*([^}\s]+)\s*\}\}")
_KEY_LIKE = re.compile(r"[\w.:-]*[-_\d][\w.:-]*")


def understand(text: str) -> Question:
    """The kind, subject and language of a question."""
    text = unicodedata.normalize("NFC", _MENTION.sub(r"\1", text.strip()[:MAX_READ])).translate(_AS_TYPED)
    folded = "".join(unicodedata.normalize("NFD", character)[0].lower() for character in text)
    language = _language(folded)
    for kind, pattern in _PATTERNS:
        if match := re.search(pattern, folded):
            if kind == "change":
                return Question(kind, "", language, _request(text, folded))
            start, end = match.span("s") if match.groupdict().get("s") else (0, 0)
            return Question(kind, _subject(text[start:end]), language)
    return Question("other", _subject(text), language)


def _request(text: str, folded: str) -> Request | None:
    found = demo_requests.find(text, folded)
    if found is None:
        return None
    kind, parts = found
    names = tuple(_subject(parts[part]) for part in ("s", "t") if part in parts)
    words = {part: value.strip(_AROUND) for part, value in parts.items() if part not in {"s", "t"}}
    if "what" in words:
        words["what"] = _subject(words["what"])
    return Request(kind, names, words)


def names_a_key(subject: str) -> bool:
    """Whether a subject looks like the key of a node rather than like a word."""
    return _KEY_LIKE.fullmatch(subject) is not None


def _language(folded: str) -> Language:
    words = set(re.split(r"[^\w-]+", folded))
    return "fr" if len(words & _FRENCH) > len(words & _ENGLISH) else "en"


def _subject(text: str) -> str:
    stripped = _NEXT_CLAUSE.split(text)[0].strip(_AROUND)
    while (shorter := _AROUND_SUBJECT.sub("", stripped).strip(_AROUND)) != stripped:
        stripped = shorter
    return stripped
