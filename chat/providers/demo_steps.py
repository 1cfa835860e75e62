"""What the demo does next for a question: call tools, or answer. Called by `demo.py`."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from chat.providers import demo_answers as answers
from chat.providers import demo_changes as changes
from chat.providers.demo_observations import Node, Observations
from chat.providers.demo_phrases import phrases
from chat.providers.demo_questions import Question, names_a_key
from chat.providers.demo_requests import Request

MAX_HITS = 8
MAX_CANDIDATES = 3
PROPOSE = "propose_"
#: Where the graph begins, whatever the node is called.
_START = frozenset({"start", "beginning", "début", "départ"})


@dataclass(frozen=True, slots=True)
class Call:
    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Proposing:
    """Calls that a person decides about, and what is said before them."""

    text: str
    calls: tuple[Call, ...]


#: Calls to make side by side, or the text of the answer.
Step = tuple[Call, ...] | Proposing | str


@dataclass(frozen=True, slots=True)
class Situation:
    """A question, what was seen since, which tools may be called, and the graph's key where it is known.

    `graphs` are key and name of what a conversation about no graph may point to.
    """

    question: Question
    seen: Observations
    offered: Collection[str]
    graph_key: str
    graphs: tuple[tuple[str, str], ...] = ()

    @property
    def say(self) -> dict[str, str]:
        return phrases(self.question.language)


def next_step(situation: Situation) -> Step:
    """The calls that are still needed and possible, else the answer from what was seen."""
    if situation.graphs:
        return _graphs(situation)
    step = _STEPS[situation.question.kind](situation)
    if isinstance(step, str | Proposing):
        return step
    possible = tuple(call for call in step if call.tool in situation.offered)
    return possible or _answer_without(situation)


def _graphs(situation: Situation) -> str:
    """What can be said where the conversation is about no graph."""
    lines = [f"- **{name}** (`{key}`)" for key, name in situation.graphs]
    return "\n".join([situation.say["no_graph"], "", *lines, "", situation.say["open_one"]])


def _overview(situation: Situation) -> Step:
    seen = situation.seen
    if not seen.called("read_graph_overview"):
        return _read_overview(situation)
    shown = seen.called("read_graph_overview")[-1]
    starts = shown.texts("startNodes")
    if starts and not seen.called("explore_neighborhood") and "explore_neighborhood" in situation.offered:
        return (Call("explore_neighborhood", {"nodeKey": starts[0], "maxDepth": 3, "direction": "outbound"}),)
    return answers.overview(shown, seen.edges(), situation.say) if shown.result else situation.say["help"]


def _detail(situation: Situation) -> Step:
    details = situation.seen.details()
    if details:
        return answers.detail(details[-1], situation.seen.edges(), situation.say)
    key = _key(situation, "read_node_detail")
    if isinstance(key, str):
        return Call("read_node_detail", {"nodeKey": key}), Call("list_node_edges", {"nodeKey": key})
    return key or _search_or_say_so(situation)


def _after_or_before(situation: Situation) -> Step:
    kind = situation.question.kind
    explored = [one for one in situation.seen.called("explore_neighborhood") if one.result]
    if explored:
        asked = str(explored[-1].arguments.get("nodeKey", ""))
        return answers.way(kind, asked, situation.seen.edges(), situation.say)
    at_start = situation.question.subject.lower() in _START
    key = _start(situation) if at_start else _key(situation, "explore_neighborhood")
    if isinstance(key, str):
        direction = "outbound" if kind == "after" else "inbound"
        return (
            Call("explore_neighborhood", {"nodeKey": key, "maxDepth": 2, "direction": direction}),
            Call("list_node_edges", {"nodeKey": key, "direction": direction}),
        )
    return key or _search_or_say_so(situation)


def _failure(situation: Situation) -> Step:
    seen = situation.seen
    if not seen.called("search_nodes"):
        return _search(situation.question.subject or "error")
    candidates = _best(situation.question.subject, seen.found())[:MAX_CANDIDATES]
    if not candidates:
        return answers.found(situation.question.subject, [], situation.say)
    if not seen.called("list_node_edges"):
        return tuple(Call("list_node_edges", {"nodeKey": node.key}) for node in candidates)
    failing = _failing(candidates, seen)
    targets = [edge.target for edge in seen.edges() if edge.source == failing and edge.is_for_errors]
    if targets and not seen.called("read_node_detail"):
        return tuple(Call("read_node_detail", {"nodeKey": key}) for key in dict.fromkeys(targets[:2]))
    return answers.failure(failing, seen.edges(), seen.details(), situation.say)


def _failing(candidates: list[Node], seen: Observations) -> str:
    """The node that the question means: the best one with an error path, or one whose error path leads to the best."""
    bad = [edge for edge in seen.edges() if edge.is_for_errors]
    leaving = [node.key for node in candidates if any(edge.source == node.key for edge in bad)]
    entering = [edge.source for edge in bad if edge.target == candidates[0].key]
    return [*leaving, *entering, candidates[0].key][0]


def _find(situation: Situation) -> Step:
    if not situation.seen.called("search_nodes"):
        return _search(situation.question.subject)
    return answers.found(situation.question.subject, situation.seen.found(), situation.say)


def _help(situation: Situation) -> Step:
    return situation.say["help"]


def _change(situation: Situation) -> Step:
    """Reads what the request names, proposes, and after the decision tells what came of it."""
    request, seen, say = situation.question.request, situation.seen, situation.say
    if not any(tool.startswith(PROPOSE) for tool in situation.offered) and not seen.proposed():
        return f"{say['no_change']}\n\n{say['help']}"
    if decided := seen.proposed():
        return changes.outcome(decided, say)
    if request is None:
        return say["which_change"]
    if missing := _unread(request, situation):
        return missing
    keys = [_meant(name, seen) for name in request.names]
    nodes = [node for key in keys for node in seen.details() if node.key == key]
    if len(nodes) < len(keys):
        return say["found_nothing"].format(" / ".join(request.names))
    try:
        plans = changes.plans(request, nodes, seen)
    except changes.NotPossible as error:
        return say[str(error)]
    calls = tuple(
        Call(f"{PROPOSE}{plan.tool}", plan.arguments | {"reason": changes.reason_for(plan, say)}) for plan in plans
    )
    return Proposing(changes.words_for(plans, say), calls)


def _unread(request: Request, situation: Situation) -> Step:
    """The calls that find and read the nodes of a request; empty when all were made."""
    seen = situation.seen
    searched = {one.arguments.get("query") for one in seen.called("search_nodes")}
    if searching := tuple(call for name in request.names if name[:200] not in searched for call in _search(name)):
        return searching
    read = {one.arguments.get("nodeKey") for one in seen.called("read_node_detail")}
    keys = dict.fromkeys(key for name in request.names if (key := _meant(name, seen)) and key not in read)
    reading = [Call("read_node_detail", {"nodeKey": key}) for key in keys]
    reading += [Call("list_node_edges", {"nodeKey": key}) for key in keys]
    if request.kind == "insert" and not seen.called("list_available_node_types"):
        reading.append(Call("list_available_node_types", {}))
    return tuple(reading)


def _meant(name: str, seen: Observations) -> str:
    """The key of the node that a search for this name found best; empty for none."""
    hits = [
        node for one in seen.called("search_nodes") if one.arguments.get("query") == name[:200] for node in one.nodes()
    ]
    return next((node.key for node in _best(name, hits)), "")


def _other(situation: Situation) -> Step:
    if not situation.question.subject:
        return situation.say["help"]
    if not situation.seen.called("search_nodes"):
        return _search(situation.question.subject)
    hits = situation.seen.found()
    return answers.guess(hits, situation.say) if hits else situation.say["help"]


def _key(situation: Situation, tool: str) -> str | Step:
    """The key to ask `tool` about, or the calls that may find it; empty when everything was tried."""
    subject, seen = situation.question.subject, situation.seen
    tried = {one.arguments.get("nodeKey") for one in seen.called(tool)}
    if names_a_key(subject) and subject not in tried and not seen.called("search_nodes"):
        return subject
    if not seen.called("search_nodes"):
        return _search(subject)
    return next((node.key for node in _best(subject, seen.found()) if node.key not in tried), ())


def _start(situation: Situation) -> str | Step:
    """The key of the node where the graph begins, or the call that tells it; empty where there is none."""
    shown = situation.seen.called("read_graph_overview")
    if not shown:
        return _read_overview(situation)
    tried = {one.arguments.get("nodeKey") for one in situation.seen.called("explore_neighborhood")}
    return next((key for key in shown[-1].texts("startNodes") if key not in tried), ())


def _search_or_say_so(situation: Situation) -> str:
    return answers.found(situation.question.subject, situation.seen.found(), situation.say)


def _read_overview(situation: Situation) -> tuple[Call, ...]:
    return (Call("read_graph_overview", {"graphKey": situation.graph_key} if situation.graph_key else {}),)


def _search(subject: str) -> tuple[Call, ...]:
    return (Call("search_nodes", {"query": subject[:200], "maxResults": MAX_HITS}),)


def _best(subject: str, nodes: list[Node]) -> list[Node]:
    """The nodes whose key or name is just the subject first, the others as they were found."""
    wanted = _bare(subject)
    return sorted(nodes, key=lambda node: wanted not in {_bare(node.key), _bare(node.name)})


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


def _answer_without(situation: Situation) -> str:
    """The answer where the next tool may not be called any more."""
    hits = situation.seen.found()
    return answers.guess(hits, situation.say) if hits else f"{situation.say['no_tools']}\n\n{situation.say['help']}"


_STEPS: dict[str, Callable[[Situation], Step]] = {
    "overview": _overview,
    "detail": _detail,
    "after": _after_or_before,
    "before": _after_or_before,
    "failure": _failure,
    "find": _find,
    "change": _change,
    "help": _help,
    "other": _other,
}
