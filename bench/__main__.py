"""`python -m bench [streaming] [tokens] ... [--rounds N] [--quick]`: runs benchmarks, prints a table of each."""

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from bench import (
    embeddings,
    history,
    imports,
    prefix,
    question_rounds,
    questions,
    records,
    replay,
    retrieval,
    retrieval_quality,
    sent_tokens,
    streaming,
)
from bench.chainlit import installed
from bench.servers import servers
from bench.systems import load
from bench.table import Row, table


def _streaming(options: argparse.Namespace) -> list[Row]:
    scale = streaming.QUICK if options.quick else streaming.Scale()
    if options.rounds:
        scale = replace(scale, rounds=options.rounds)
    with servers() as started:
        return streaming.measure(started, scale)


def _questions(options: argparse.Namespace) -> str:
    scale = question_rounds.QUICK if options.quick else question_rounds.Scale()
    if options.rounds:
        scale = replace(scale, rounds=options.rounds)
    if options.beside_chainlit:
        installed(options.beside_chainlit)
    with servers() as started:
        return questions.measure(started, scale, options.against, options.beside_chainlit)


def _replay(options: argparse.Namespace) -> list[Row]:
    scale = replay.QUICK if options.quick else replay.Scale()
    if options.rounds:
        scale = replace(scale, rounds=options.rounds)
    with servers() as started:
        return replay.measure(started, scale)


def _history(options: argparse.Namespace) -> list[Row]:
    scale = history.QUICK if options.quick else history.Scale()
    with servers() as started:
        return history.measure(started, scale)


def _records(options: argparse.Namespace) -> list[Row]:
    scale = records.QUICK if options.quick else records.Scale()
    with servers() as started:
        return records.measure(started, scale)


def _embeddings(options: argparse.Namespace) -> list[Row]:
    scale = embeddings.QUICK if options.quick else embeddings.Scale()
    with servers() as started:
        return embeddings.measure(started, scale)


def _retrieval(options: argparse.Namespace) -> list[Row]:
    scale = retrieval.QUICK if options.quick else retrieval.Scale()
    if options.sizes:
        scale = replace(scale, sizes=retrieval.sizes_of(options.sizes))
    with servers(options.keep) as started:
        return retrieval.measure(started, scale)


def _import(options: argparse.Namespace) -> list[Row]:
    scale = imports.QUICK if options.quick else imports.Scale()
    if options.sizes:
        scale = replace(scale, sizes=tuple(sorted(options.sizes)))
    if options.rounds:
        scale = replace(scale, rounds=options.rounds)
    with servers() as started:
        return imports.measure(started, scale)


def _prefix(options: argparse.Namespace) -> list[Row]:
    with servers() as started:
        return prefix.measure(started, prefix.QUICK_TURNS if options.quick else prefix.TURNS)


def _tokens(options: argparse.Namespace) -> list[Row] | str:
    with servers() as started:
        sent = sent_tokens.measure(started)
    django.setup()
    from bench import tokens

    contexts = tokens.measure()
    return f"{table(sent)}\n\n{contexts}" if isinstance(contexts, str) else [*sent, *contexts]


def _hotpotqa(options: argparse.Namespace) -> str:
    return retrieval_quality.measured_hotpotqa()


#: Each gives the rows of its table, or what is printed as it is.
BENCHMARKS: dict[str, Callable[[argparse.Namespace], list[Row] | str]] = {
    "streaming": _streaming,
    "questions": _questions,
    "replay": _replay,
    "history": _history,
    "records": _records,
    "embeddings": _embeddings,
    "retrieval": _retrieval,
    "hotpotqa": _hotpotqa,
    "import": _import,
    "tokens": _tokens,
    "prefix": _prefix,
}


def _sizes(text: str) -> list[int]:
    return [int(size) for size in text.split(",")]


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("which", nargs="*", choices=[[], *BENCHMARKS], help="all of them where none is named")
    parser.add_argument("--rounds", type=int, default=0, help="interleaved rounds, of which the medians are shown")
    parser.add_argument("--quick", action="store_true", help="one short round: a look, not a measurement")
    parser.add_argument(
        "--sizes", type=_sizes, help="of retrieval and import: nodes of the graphs, such as 1000,100000"
    )
    parser.add_argument("--against", type=Path, help="of questions: a folder with another state of the product")
    parser.add_argument(
        "--beside-chainlit", type=Path, help="of questions: a folder with an environment in which chainlit is installed"
    )
    parser.add_argument("--keep", type=Path, help="of retrieval: a folder for its graphs, to be used again")
    options = parser.parse_args(arguments)
    for name in options.which or BENCHMARKS:
        before = load()
        found = BENCHMARKS[name](options)
        shown = found if isinstance(found, str) else table(found)
        print(f"\n{name}: {before} before, {load()} after\n\n{shown}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
