"""Starts PostgreSQL and Valkey for a data folder, under a supervisor. Used by `manage.py up` and by the tests."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from config import local, postgres, roles, valkey
from config.account import Account, postgres_account
from config.locks import ServersLock
from config.problem import Problem
from config.supervisor import Supervisor

START_S = 60


@dataclass(frozen=True)
class Embedded:
    """Which servers to start, and PostgreSQL's settings beside the usual ones (tests give up durability for speed)."""

    where: local.ServerPaths
    postgres: bool = True
    valkey: bool = True
    postgres_settings: Mapping[str, str] = field(default_factory=dict)
    valkey_databases: int = 16
    #: Whether PostgreSQL's log may say what people wrote.
    logs_text: bool = False


def start(wanted: Embedded, supervisor: Supervisor) -> None:
    """Returns when both accept connections. Raises Problem with what to do."""
    begin(wanted, supervisor)
    wait(wanted, supervisor)


def begin(wanted: Embedded, supervisor: Supervisor) -> None:
    """Starts both, PostgreSQL on data that are there then."""
    if not (wanted.postgres or wanted.valkey):
        return
    try:
        lock = ServersLock(wanted.where.data_dir)
        _wait_for_predecessors(lock, supervisor)
        if wanted.postgres:
            _start_postgres(wanted, lock, supervisor)
        if wanted.valkey:
            valkey.make_folders(wanted.where)
            supervisor.keep(valkey.server(wanted.where, lock.handle, wanted.valkey_databases))
    except OSError as error:
        raise Problem(local.no_access(wanted.where.data_dir, error)) from error


def wait(wanted: Embedded, supervisor: Supervisor) -> None:
    where = wanted.where
    if wanted.postgres:
        _wait(supervisor, "PostgreSQL", lambda: postgres.accepts_connections(where))
    if wanted.valkey:
        _wait(supervisor, "Valkey", lambda: valkey.accepts_connections(where))


def _wait_for_predecessors(lock: ServersLock, supervisor: Supervisor) -> None:
    if lock.free():
        return
    supervisor.terminal.say("The servers of the previous run are still stopping; waiting for them.")
    supervisor.wait_for(
        lock.free,
        30,
        "The servers of a previous run have not stopped within 30 seconds. "
        "End them (ps -ef | grep -E 'postgres|valkey-server') and start again.",
    )


def _start_postgres(wanted: Embedded, lock: ServersLock, supervisor: Supervisor) -> None:
    where = wanted.where
    account = postgres_account(where.postgres_data)
    programs = postgres.programs_dir(account)
    _set_aside_data_of_a_removed_folder(where, supervisor)
    postgres.make_folders(where, account)
    if account:
        supervisor.terminal.say(
            f"PostgreSQL does not run as root. It runs as the user {account.name}, on data in {where.postgres_data}, "
            f"from the programs in {programs}."
        )
    if not postgres.check_data(where):
        _make_data(wanted, account, supervisor)
    roles.let_in(where)
    postgres.remove_stale_pid_file(where)
    supervisor.keep(
        postgres.server(programs, where, account, lock.handle, wanted.postgres_settings, logs_text=wanted.logs_text)
    )


def _set_aside_data_of_a_removed_folder(where: local.ServerPaths, supervisor: Supervisor) -> None:
    """Moves aside data of an earlier folder of this name; a mark in the data folder says whether they are its own."""
    if where.postgres_home == where.data_dir:
        return
    mark = where.data_dir / "postgres-is-elsewhere"
    if where.postgres_data.exists() and not mark.exists():
        aside = _move_aside(where)
        supervisor.terminal.say(f"The data folder is new; the data of an earlier one with this name are in {aside}.")
    if mark.exists() and not where.postgres_data.exists():
        raise Problem(
            f"The database of this data folder was in {where.postgres_data} and is no longer there. "
            f"Bring that folder back, or remove {mark} to begin anew."
        )
    mark.write_text(f"{where.postgres_data}\n")


def _move_aside(where: local.ServerPaths) -> Path:
    aside = where.postgres_data.with_name(f"postgres.aside-{int(time.time())}")
    where.postgres_data.rename(aside)
    return aside


def _make_data(wanted: Embedded, account: Account | None, supervisor: Supervisor) -> None:
    where = wanted.where
    supervisor.terminal.say(f"Making a new database in {where.postgres_data}.")
    if where.postgres_data.exists():
        supervisor.terminal.say(f"What was there without being a database is now in {_move_aside(where)}.")
    folder = postgres.unfinished_data(where, account)
    code, tail = supervisor.run(postgres.initdb(postgres.programs_dir(account), folder, account))
    if code != 0:
        raise Problem(
            postgres.explain(tail, where)
            or f"PostgreSQL could not make its data in {folder} (exit code {code}). Its lines above say why."
        )
    folder.rename(where.postgres_data)


def _wait(supervisor: Supervisor, name: str, ready: Callable[[], bool]) -> None:
    supervisor.wait_for(
        ready, START_S, f"{name} did not accept connections within {START_S} seconds. Its lines above say why."
    )
