"""The points of n8n's nodes, which follow from type, parameters and connections: files do not list them."""

from typing import Any

#: Kind and index of a point: ("main", 0), ("ai_tool", 0).
Slot = tuple[str, int]

MAX_RULES = 100
MAX_LABEL = 200
_ERROR_OUTPUT = "continueErrorOutput"
_FIXED_OUTPUTS: dict[str, tuple[str, ...]] = {
    "n8n-nodes-base.if": ("true", "false"),
    "n8n-nodes-base.filter": ("kept",),
    "n8n-nodes-base.compareDatasets": ("in A only", "same", "different", "in B only"),
}
#: These have more outputs than their parameters tell in one common way.
_SEVERAL_OUTPUTS = ("textClassifier", "sentimentAnalysis", "webhook", "guardrails")
_WITHOUT_INPUT = ("webhook", "cron", "interval", "start", "emailReadImap")


def short_type(node_type: str) -> str:
    """`httpRequest` of `n8n-nodes-base.httpRequest`"""
    return node_type.rpartition(".")[2]


def output_labels(node_type: str, entry: dict[str, Any]) -> dict[int, str]:
    """What the main outputs of a node mean, by index, where the file says so."""
    labels = {index: label[:MAX_LABEL] for index, label in _regular_labels(node_type, entry).items()}
    if entry.get("onError") == _ERROR_OUTPUT and short_type(node_type) not in _SEVERAL_OUTPUTS:
        labels[max(labels, default=0) + 1] = "error"
    return labels


def _regular_labels(node_type: str, entry: dict[str, Any]) -> dict[int, str]:
    if node_type == "n8n-nodes-base.switch":
        return _switch_labels(entry.get("parameters") or {})
    if node_type == "n8n-nodes-base.splitInBatches":
        version = entry.get("typeVersion")
        newer = isinstance(version, int | float) and version >= 3
        return dict(enumerate(("done", "loop") if newer else ("loop", "done")))
    return dict(enumerate(_FIXED_OUTPUTS.get(node_type, ())))


def _switch_labels(parameters: dict[str, Any]) -> dict[int, str]:
    rules = parameters.get("rules")
    rules = rules if isinstance(rules, dict) else {}
    if isinstance(rules.get("values"), list):
        return _switch_labels_by_position(rules["values"][:MAX_RULES], parameters)
    labels: dict[int, str] = {}
    for rule in (rules.get("rules") or [])[:MAX_RULES] if isinstance(rules.get("rules"), list) else []:
        output, value = (rule.get("output", 0), rule.get("value2")) if isinstance(rule, dict) else (None, None)
        if type(output) is int and 0 <= output < MAX_RULES and isinstance(value, str | int | float):
            labels.setdefault(output, str(value))
    return labels


def _switch_labels_by_position(rules: list[Any], parameters: dict[str, Any]) -> dict[int, str]:
    labels = {}
    for index, rule in enumerate(rules):
        name = rule.get("outputKey") if isinstance(rule, dict) and rule.get("renameOutput") else None
        labels[index] = name if isinstance(name, str) and name else str(index)
    options = parameters.get("options")
    if isinstance(options, dict) and options.get("fallbackOutput") == "extra":
        labels[len(rules)] = "fallback"
    return labels


def handles(node_type: str, labels: dict[int, str], outputs: set[Slot], inputs: set[Slot]) -> dict[str, Any]:
    """The points of a node: main inputs left, outputs right, its own on top, places for sub-nodes at the bottom."""
    outputs = outputs | {("main", index) for index in labels}
    inputs = set(inputs)
    if not any(kind != "main" for kind, _index in outputs):
        outputs.add(("main", 0))
        name = short_type(node_type)
        if name not in _WITHOUT_INPUT and not name.lower().endswith("trigger"):
            inputs.add(("main", 0))
    sides: dict[str, list[dict[str, str]]] = {}
    for kind, index in sorted(inputs):
        point = {"id": f"{kind}-{index}", "type": "in", "accept": kind}
        sides.setdefault("L" if kind == "main" else "B", []).append(point)
    for kind, index in sorted(outputs):
        point = {"id": f"{kind}-{index}", "type": "out", "accept": kind}
        if kind == "main" and index in labels:
            point["label"] = labels[index]
        sides.setdefault("R" if kind == "main" else "T", []).append(point)
    return sides
