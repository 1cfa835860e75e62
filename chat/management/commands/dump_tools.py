"""`manage.py dump_tools --object T:K`: the tools as a model is offered them, those that read with a real call."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, get_args

from django.core.management.base import CommandParser

from chat.management.cli_options import add_asking_options, asking, model_named
from chat.prompts.tool_results import model_text
from chat.providers.building import body_of
from chat.providers.estimating import tokens_of_tools
from chat.providers.model_request import ModelRequest, ToolSpec
from chat.providers.provider import ProviderConfig, Wire
from chat.sent_requests.layout import to_json
from chat.subjects.registered_subjects import subject_of
from chat.subjects.tools import CallRefused, by_name, parse, run, specs
from chat.tools.conversation_reading import READ_EARLIER_MESSAGES, READ_TOOL_RESULT
from chat.tools.tool import ToolContext
from chat.tools.web import web_tools
from rag.management.quiet import QuietCommand
from rag.texts.tokens import count_tokens


class Command(QuietCommand):
    help = "Shows the tools a model is offered in a conversation about an object, and what they answer."

    def add_arguments(self, parser: CommandParser) -> None:
        add_asking_options(parser)
        parser.add_argument(
            "--wire", choices=get_args(Wire), help="as this vendor's wire has them; default: the model's"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        member, about = asking(options)
        subject = subject_of(about.type)
        config = model_named(None)
        wire = options["wire"] or config.wire
        offered, every = specs(member.role, subject), specs(member.role, subject, loaded=True, summarised=True)
        at_once = [spec.name for spec in offered]
        sent = as_sent(every, config, wire)
        examples = dict(_examples(every, ToolContext(member, about), subject.example_arguments(about)))
        if options["json"]:
            shown = [
                {"name": spec.name, "sent": each, **examples.get(spec.name, {})}
                for spec, each in zip(every, sent, strict=True)
            ]
            of_time = {
                "tools": [tool for tool in shown if tool["name"] in at_once],
                "later": [tool for tool in shown if tool["name"] not in at_once],
            }
            self.stdout.write(_json({"wire": wire, "tokens": _tokens(offered, config), **of_time}, indent=2))
            return
        for spec, each in zip(every, sent, strict=True):
            later = "" if spec.name in at_once else " (later: once it is asked for, or something is summarised)"
            self.stdout.write(self.style.MIGRATE_HEADING(f"--- {spec.name}{later}"))
            self.stdout.write(f"{spec.description}\n{_json(each)}")
            if spec.name in examples:
                self._write_example(spec.name, examples[spec.name])
        sizes = ", ".join(f"{name} {count}" for name, count in _tokens(offered, config).items())
        self.stdout.write(f"tokens of the {len(offered)} offered at once: {sizes}; shown: {wire}")

    def _write_example(self, name: str, example: dict[str, Any]) -> None:
        self.stdout.write(f"{name} {_json(example['arguments'])}")
        if "refused" in example:
            self.stdout.write(f"  refused: {example['refused']}\n")
            return
        size = f"{example['characters']} characters, about {example['tokens']} tokens"
        self.stdout.write(f"{example['told']}\n{size}\n")


def as_sent(offered: tuple[ToolSpec, ...], config: ProviderConfig, wire: Wire) -> list[dict[str, Any]]:
    """The tools in the body of a request."""
    request = ModelRequest((), offered, config.model, config.max_tokens)
    tools: list[dict[str, Any]] = body_of(replace(config, wire=wire), request).get("tools", [])
    return tools


def _tokens(offered: tuple[ToolSpec, ...], config: ProviderConfig) -> dict[str, int]:
    """The tokens of the tools: as counted everywhere, and as JSON on each wire."""
    counted = {"counted": tokens_of_tools(ModelRequest((), offered, "", 0))}
    wires = (wire for wire in get_args(Wire) if wire != "demo")
    return counted | {wire: count_tokens(to_json(as_sent(offered, config, wire))) for wire in wires}


def _examples(
    offered: tuple[ToolSpec, ...], context: ToolContext, values: dict[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """What each tool that reads answers to a real call, and what a model is told of that."""
    for spec in offered:
        tool = by_name()[spec.name]
        # There is no conversation; and nobody on the internet is asked for an example.
        if tool.writes or tool in (READ_TOOL_RESULT, READ_EARLIER_MESSAGES, *web_tools()):
            continue
        arguments = {name: values[name] for name in spec.parameters.get("required", ())}
        parsed = parse(spec.name, _json(arguments), [each.name for each in offered])
        if isinstance(parsed, CallRefused):
            yield spec.name, {"arguments": arguments, "refused": parsed.message}
            continue
        result = run(parsed, context)
        text = model_text(spec.name, result)
        size = {"characters": len(text), "tokens": count_tokens(text)}
        yield spec.name, {"arguments": arguments, "result": result, "told": text, **size}


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)
