"""What the demo fills into the forms of managed prompts: placeholders by fixed rules, and it says that they are."""

import re
import tomllib
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chat.providers.demo.seen import Row, object_of, rows_of
from chat.providers.model_request import ModelRequest

_WORDS: Mapping[str, Mapping[str, Any]] = tomllib.loads((Path(__file__).parent / "forms.toml").read_text("utf-8"))
#: How the tools are called that take structured data.
PREFIX = "write_"
#: The values of a prompt: a name in brackets, with data between marks under it.
_VALUE = re.compile(r"^\[(?P<name>[a-z_]+)\]\n<data (?P<mark>\w+)>\n(?P<body>.*?)\n</data (?P=mark)>", re.DOTALL | re.M)
_FRENCH = re.compile(r"\b(?:les|une|des|dans|vous)\b", re.IGNORECASE)
#: Use cases that are found where nobody says how many, and names that a summary tells.
FOUND = 3
NAMED = 10
_RATINGS = re.compile(r"(?:^|; )(\d+)\b")


@dataclass(frozen=True, slots=True)
class FilledForm:
    """The call of the tool, with what is said before."""

    tool: str
    arguments: Row
    thought: str
    text: str


def filled(request: ModelRequest) -> FilledForm | None:
    """The form of the request filled in; None for a request that has none."""
    tool = next((tool.name for tool in request.tools if tool.name.removeprefix(PREFIX) in _FORMS), None)
    if tool is None or not request.tools_allowed:
        return None
    asked = next(message.content for message in request.messages if message.role == "user")
    values = {found["name"]: found["body"] for found in _VALUE.finditer(asked)}
    words = _WORDS["fr" if len(_FRENCH.findall(_VALUE.sub("", asked))) > 2 else "en"]
    arguments = _FORMS[tool.removeprefix(PREFIX)](words, values) | {"reason": words["reason"]}
    return FilledForm(tool, arguments, words["thinking"], words["notice"])


def _named(values: Mapping[str, str], variable: str, field: str = "name") -> str:
    return str(object_of(values.get(variable, "")).get(field) or "?")


def _company(words: Mapping[str, Any], values: Mapping[str, str]) -> Row:
    name = _named(values, "company")
    fields = ("industry", "size", "products", "processes", "challenges", "objectives", "technologies")
    return {"name": name} | {field: words[field].format(name=name) for field in fields}


def _folder(words: Mapping[str, Any], values: Mapping[str, str]) -> Row:
    name = _named(values, "company" if _named(values, "company") != "?" else "folder")
    return {
        "name": words["folder_name"].format(name=name),
        "description": words["folder_description"].format(name=name),
    }


def _list(words: Mapping[str, Any], values: Mapping[str, str]) -> Row:
    """Topics in turn, numbered on from what the folder has, so that none repeats one that is there."""
    asked = values.get("count", "")
    count, topics, name = int(asked) if asked.isdigit() else FOUND, words["topics"], _named(values, "folder")
    there = len(rows_of(object_of(values.get("use_cases", "")).get("useCases")))
    chosen = [(topics[place % len(topics)], place + 1) for place in range(there, there + count)]
    return {
        "useCases": [
            {
                "name": words["found_name"].format(topic=topic, number=number),
                "description": words["found_description"].format(name=name, topic=topic),
            }
            for topic, number in chosen
        ]
    }


def _detail(words: Mapping[str, Any], values: Mapping[str, str]) -> Row:
    """What people have written stays; the rest is a placeholder."""
    there, name = object_of(values.get("use_case", "")), _named(values, "use_case", "data.name")
    texts = {field: words[field].format(name=name) for field in ("description", "problem", "solution", "domain")}
    lists = {
        "benefits": words["benefits"], "metrics": words["metrics"], "risks": words["risks"],
        "constraints": words["constraints"], "nextSteps": words["next_steps"], "references": [words["reference"]],
        "dataSources": [], "dataObjects": [], "technologies": [],
    }  # fmt: skip
    made: Row = {**texts, **lists, "contact": "", "deadline": ""}
    kept = {field: there[f"data.{field}"] for field in made if there.get(f"data.{field}")}
    as_lists = {field: [value] if isinstance(value, str) else value for field, value in kept.items() if field in lists}
    matrix = object_of(values.get("axes", "")).get("matrix") or {}
    return (
        made
        | kept
        | as_lists
        | {
            f"{side}Scores": [
                {"axisId": str(axis["id"]), "rating": _rating(name, axis), "description": words["rating"]}
                for axis in rows_of((matrix.get(side) or {}).get("axes"))
            ]
            for side in ("value", "complexity")
        }
    )


def _rating(name: str, axis: Row) -> int:
    """One of the ratings of the axis: always the same for a name."""
    ratings = [int(rating) for rating in _RATINGS.findall(str(axis.get("levels") or ""))] or [1, 2, 3, 4, 5]
    return ratings[zlib.crc32(f"{name}/{axis['id']}".encode()) % len(ratings)]


def _summary(words: Mapping[str, Any], values: Mapping[str, str]) -> Row:
    rows = rows_of(object_of(values.get("use_cases", "")).get("useCases"))
    placed = [row for row in rows if row.get("quadrant")]
    first = [str(row["name"]) for row in placed if row["quadrant"] == "highValueLowComplexity"][:NAMED]
    told = "; ".join(f"{row['name']} ({row['value']} / {row['complexity']})" for row in placed[:NAMED])
    every = ", ".join(str(row.get("name")) for row in rows[:NAMED])
    return {
        "introduction": words["introduction"].format(name=_named(values, "folder"), count=len(rows)),
        "analysis": words["analysis"].format(placed=told or words["no_places"]),
        "recommendation": words["recommendation"].format(first=", ".join(first) or words["nothing"]),
        "references": words["references"].format(all=every or words["nothing"]),
    }


_FORMS: Mapping[str, Callable[[Mapping[str, Any], Mapping[str, str]], Row]] = {
    "company_info": _company,
    "folder_name": _folder,
    "use_case_list": _list,
    "use_case_detail": _detail,
    "executive_summary": _summary,
}
