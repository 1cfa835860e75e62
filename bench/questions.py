"""What a question costs: CPU of the web process and of PostgreSQL, and how long its first token and its end take.

Beside the bare relay and a minimal Django view in the same run; beside another state of the product where
`--against FOLDER` names one, and beside chainlit where `--beside-chainlit FOLDER` does. `bench.question_processes`
measures what depends on web processes, `bench.question_parts` counts statements, hops and bytes in a run of its own.
"""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from bench import question_parts, question_processes, question_tables, systems
from bench.chainlit import chainlit, installed
from bench.cpu import Clocks
from bench.question_rounds import Rounds, Scale
from bench.question_scenes import large_graph
from bench.servers import Servers
from bench.systems import System
from bench.table import table


def measure(servers: Servers, scale: Scale, against: Path | None, with_chainlit: Path | None) -> str:
    """The tables of what depends on web processes and of what one question is made of.

    Those of costs and loads are printed as soon as they are known: what follows takes minutes.
    """
    clocks = Clocks()
    with systems.vendor() as vendor:
        variables = _variables(servers, vendor)
        with ExitStack() as stack:
            running = [
                stack.enter_context(systems.reference({}, "--vendor", vendor, "--database", servers.reference)),
                stack.enter_context(systems.view({}, vendor, servers.reference)),
                stack.enter_context(_product(variables, systems.ROOT)),
            ]
            if against is not None:
                of_its_own = replace(servers, database_url=servers.another_database("before"))
                before = _variables(of_its_own, vendor) | {"REDIS_PREFIX": "before"}
                running.append(stack.enter_context(_product(before, against.resolve())))
            if with_chainlit is not None:
                running.append(stack.enter_context(chainlit(servers, vendor, with_chainlit)))
            rounds = Rounds(running, clocks, scale)
            rounds.perform()
        rows = list(question_tables.beside(rounds, "view" if against is None else "before"))
        print(question_tables.of_each(rounds), table(rows), sep="\n\n", flush=True)
        cores, more = question_processes.measure(variables, clocks, scale)
    found = [table(more), cores, question_parts.measure(servers)]
    if with_chainlit is not None:
        found.append(f"Beside {installed(with_chainlit)}.")
    return "\n\n".join(found)


def _variables(servers: Servers, vendor: str) -> dict[str, str]:
    return systems.with_long_memory(systems.environment(servers, vendor), vendor)


@contextmanager
def _product(variables: Mapping[str, str], root: Path) -> Iterator[System]:
    """The product in this folder, with its demo data and a large graph."""
    systems.prepare(variables, root)
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(large_graph())
        file.flush()
        systems.manage(variables, "import_graph", file.name, "--workspace", "demo", root=root)
    systems.manage(variables, "embed_nodes", "--graph", "large", root=root)
    with systems.product(variables, root) as system:
        yield system
