"""How long a token takes from the vendor to the reader, and what it costs, beside a bare group-commit relay."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg

from bench import pages, systems
from bench.client import Plan
from bench.figures import delays_ms, median, percentile, ratio, sent_within
from bench.idle import idle_kib
from bench.servers import Servers
from bench.systems import Readers, System
from bench.table import Row

RATE = 50
#: Tokens a second of the two long answers whose bytes are compared.
LONG_RATE = 500
_TRANSACTIONS = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint"


@dataclass(frozen=True)
class Scale:
    """How much is measured: streams at a time, rounds, the steady time of each run."""

    streams: tuple[int, ...] = (1, 20, 50, 150)
    rounds: int = 3
    steady_s: float = 4.0
    probes: int = 5
    long_answer: int = 10_000
    idle_sockets: int = 1000
    visits: int = 60


QUICK = Scale(streams=(1, 20), rounds=1, steady_s=2.0, probes=3, long_answer=1000, idle_sockets=100, visits=20)


@dataclass(frozen=True)
class Measured:
    """One run of one system. Delays in ms, of the steady part (`p50`, `p99`) and with all beginnings (`p99_all`)."""

    p50: float
    p99: float
    p99_all: float
    first_ms: float
    cpu_us: float
    transactions: float
    bytes: float
    tokens_a_frame: float


def run(system: System, database: psycopg.Connection, streams: int, scale: Scale) -> Measured:
    """`streams` answers at random phases; CPU, transactions and delays of their steady part, then the probes."""
    spread_s = min(1.0, streams / 20)
    seconds = spread_s + scale.steady_s + 0.4 * scale.probes + 1
    plan = Plan(
        system.url, system.name, system.token(), streams, int(seconds * RATE), RATE, spread_s, scale.steady_s,
        scale.probes,
    )  # fmt: skip
    readers = Readers(plan)
    readers.wait_for("running")
    began, cpu, transactions = time.time_ns(), system.cpu_s(), _transactions(database)
    readers.wait_for("over")
    ended, cpu, transactions = time.time_ns(), system.cpu_s() - cpu, _transactions(database) - transactions
    result = readers.result()
    steady = sent_within(result.tokens, began, ended)
    return Measured(
        p50=percentile(delays_ms(steady), 50),
        p99=percentile(delays_ms(steady), 99),
        p99_all=percentile(delays_ms(result.tokens), 99),
        first_ms=median(result.probe_ms),
        cpu_us=ratio(cpu * 1e6, len(steady)),
        transactions=ratio(transactions, len(steady)),
        bytes=ratio(result.token_bytes, len(result.tokens)),
        tokens_a_frame=ratio(len(result.tokens), result.token_frames),
    )


def bytes_of_answer(system: System, tokens: int) -> int:
    """Everything that one socket receives for one answer, in bytes."""
    plan = Plan(system.url, system.name, system.token(), 1, tokens, LONG_RATE, 0, 0)
    readers = Readers(plan)
    readers.wait_for("running")
    readers.wait_for("over")
    return readers.result().all_bytes


def _transactions(database: psycopg.Connection) -> int:
    """How many transactions that write have begun so far in all databases of the server; asking begins none."""
    row = database.execute(_TRANSACTIONS).fetchone()
    assert row is not None
    return int(row[0])


class Rounds:
    """Interleaved runs of the reference and the product, at rising numbers of streams."""

    def __init__(self, reference: System, product: System, database: psycopg.Connection, scale: Scale) -> None:
        self.found: dict[tuple[str, int], list[Measured]] = {}
        self._systems = [reference, product]
        self._database = database
        self._scale = scale

    def perform(self) -> None:
        for number in range(self._scale.rounds):
            for streams in self._scale.streams:
                for system in self._systems if number % 2 == 0 else reversed(self._systems):
                    measured = run(system, self._database, streams, self._scale)
                    self.found.setdefault((system.name, streams), []).append(measured)
                    print(f"round {number + 1}, {streams} streams, {system.name}: {_line(measured)}", flush=True)

    def of(self, name: str, streams: int, figure: str) -> float:
        """The median over rounds."""
        return median(getattr(measured, figure) for measured in self.found[name, streams])

    def row(self, what: str, streams: int, figure: str, target: float | None, unit: str) -> Row:
        """Product beside reference, and their ratio."""
        values = [self.of(name, streams, figure) for name in ("reference", "product")]
        return Row(what, *values, ratio(values[1], values[0]), target, unit)


def _line(measured: Measured) -> str:
    return (
        f"p50 {measured.p50:.2f} ms, p99 {measured.p99:.2f} ms ({measured.p99_all:.2f} with beginnings), "
        f"first {measured.first_ms:.0f} ms, {measured.cpu_us:.0f} us CPU, {measured.transactions:.2f} transactions, "
        f"{measured.tokens_a_frame:.2f} tokens a frame"
    )


def rows(rounds: Rounds, streams: Sequence[int]) -> Iterator[Row]:
    """The table, apart from bytes and idle sockets."""
    most = 50 if 50 in streams else max(streams)
    for count in streams:
        asked = count == most
        yield rounds.row(f"added delay per token, p50, {count} streams", count, "p50", 1.5 if asked else None, "ms")
        yield rounds.row(f"added delay per token, p99, {count} streams", count, "p99", 2 if asked else None, "ms")
    yield rounds.row(f"p99 with all beginnings, {most} streams", most, "p99_all", None, "ms")
    if 150 in streams and 20 in streams:
        ours, theirs = (
            ratio(rounds.of(name, 150, "p99"), rounds.of(name, 20, "p99")) for name in ("product", "reference")
        )
        yield Row("p99 at 150 streams / p99 at 20", theirs, ours, ours, 3, "x")
    yield rounds.row(f"transactions per token, {most} streams", most, "transactions", 1.2, "")
    yield rounds.row("request to first token, 1 stream", 1, "first_ms", 2, "ms")
    alone, ours = (rounds.of(name, most, "first_ms") for name in ("reference", "product"))
    what = f"request to first token while {most} run"
    yield Row(what, alone, ours, ours - alone, 25, "ms", "ms")
    yield rounds.row(f"CPU per token, {most} streams", most, "cpu_us", 1.5, "us")
    yield rounds.row(f"bytes per token, {most} streams", most, "bytes", None, "B")


def bytes_row(reference: System, product: System, tokens: int) -> Row:
    """How the bytes of an answer grow when it is ten times as long."""
    theirs, ours = (
        ratio(bytes_of_answer(system, tokens), bytes_of_answer(system, tokens // 10)) for system in (reference, product)
    )
    return Row(f"bytes of {tokens} tokens / {tokens // 10} tokens", theirs, ours, ours, 10.5, "x")


def idle_row(variables: Mapping[str, str], sockets: int) -> Row:
    """KiB per idle socket, each system in a process of its own."""
    with systems.reference(variables, "--echo") as echo:
        theirs = idle_kib(echo, sockets)
    with systems.product(variables) as product:
        ours = idle_kib(product, sockets)
    return Row(f"KiB per idle socket, {sockets} sockets", theirs, ours, ratio(ours, theirs), 1.25, "KiB")


@contextmanager
def running(servers: Servers, vendor: str, variables: Mapping[str, str]) -> Iterator[tuple[System, System]]:
    """Reference and product, side by side on the same servers."""
    arguments = ("--vendor", vendor, "--database", servers.reference)
    with systems.reference(variables, *arguments) as reference, systems.product(variables) as product:
        yield reference, product


def measure(servers: Servers, scale: Scale) -> list[Row]:
    """The whole table. The product's tables are made here."""
    with systems.vendor() as vendor, psycopg.connect(servers.database_url, autocommit=True) as database:
        variables = systems.environment(servers, vendor)
        systems.prepare(variables)
        with running(servers, vendor, variables) as (reference, product):
            rounds = Rounds(reference, product, database, scale)
            rounds.perform()
            found = [*rows(rounds, scale.streams), bytes_row(reference, product, scale.long_answer)]
            found += pages.rows(product, scale.rounds, scale.visits)
        return [*found, idle_row(variables, scale.idle_sockets)]
