"""How long changes, the history and rollbacks take in one process. With the product's settings:

python -m bench.history_times SCALE

The scale is that of `bench.history` as JSON. Reference and product take turns. It writes one line: the seconds of each
time by what was done, and the statements of a rollback.
"""

import gc
import json
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from itertools import permutations
from typing import Any

import django

Times = dict[str, list[float]]


def timed(times: Times, name: str, work: Callable[[], Any]) -> Any:
    began = time.perf_counter()
    result = work()
    times.setdefault(name, []).append(time.perf_counter() - began)
    return result


def updates(times: Times, member: Any, count: int) -> None:
    """One field of one node: as an ORM row in a transaction, the row at hand or read first, and as a change."""
    from django.db import transaction

    from bench import long_history
    from graphs.history import changes
    from graphs.history.recording import Because
    from graphs.models import Node, Origin
    from graphs.objects.operations import Update
    from graphs.objects.refs import Ref

    bare, audited = (long_history.create(member.workspace, f"updates-{name}") for name in ("bare", "audited"))
    rows = list(bare.nodes.order_by("id"))
    because = Because(member.user, Origin.MANUAL)

    def save(row: Node, number: int) -> None:
        with transaction.atomic():
            row.name = f"New {number}"
            row.save()

    def read_and_save(key: str, number: int) -> None:
        with transaction.atomic():
            row = Node.objects.select_for_update(no_key=True).get(graph=bare, key=key)
            row.name = f"Newer {number}"
            row.save()

    names = {f"n{n}": f"Name {n}" for n in range(long_history.NODES)}
    for number in range(count):
        key = f"n{number % long_history.NODES}"
        operation = Update(Ref("node", key), {"name": names[key]}, {"name": f"New {number}"})
        names[key] = f"New {number}"
        turns: list[tuple[str, Callable[[], Any]]] = [
            ("bare save", lambda n=number: save(rows[n % long_history.NODES], n)),
            ("read and save", lambda k=key, n=number: read_and_save(k, n)),
            ("audited update", lambda o=operation: changes.apply(audited, [o], because)),
        ]
        # Each comes as often after each of the others: what ran before is felt.
        for name, work in list(permutations(turns))[number % 6]:
            timed(times, name, work)


def versions(times: Times, member: Any, sizes: dict[str, int], count: int) -> None:
    """A page of the history, a comparison and a restored version, where there are few versions and where many."""
    from django.db import connection, transaction

    from bench import long_history
    from graphs.api import history_json
    from graphs.history import queries, rollback
    from graphs.history.scopes import AsOf
    from graphs.objects.refs import Ref
    from graphs.site.api.paging import page_of

    graphs = {}
    for name, size in sizes.items():
        graphs[name] = long_history.create(member.workspace, f"versions-{name}")
        long_history.fill(graphs[name], size)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM (ANALYZE) graphs_changeset, graphs_revision, graphs_modification, graphs_node")

    def page(key: str) -> None:
        subject = queries.subject(member.workspace.pk, Ref("graph", key))
        found = page_of(queries.versions(subject), queries.ORDERING, None, 50)
        history_json.VersionShape.of_revisions(member, found.rows)

    def restore(graph: Any, version: int) -> None:
        with suppress(Undone), transaction.atomic():
            rollback.roll_back(member.workspace.pk, member.user, AsOf("graph", graph.pk, version))
            raise Undone

    for _ in range(count):
        for name, graph in graphs.items():
            last = sizes[name] + 1
            timed(times, f"page {name}", lambda g=graph: page(g.key))
            timed(times, f"restore a recent version {name}", lambda g=graph, v=last - 50: restore(g, v))
            timed(times, f"restore the first version {name}", lambda g=graph: restore(g, 1))


class Undone(Exception):
    """Takes a transaction back."""


def rollbacks(times: Times, member: Any, objects: int, count: int) -> int:
    """Of one change set that renamed so many nodes; beside it the bare statement that would rename them."""
    from django.db import connection, transaction
    from django.test.utils import CaptureQueriesContext

    from bench import long_history
    from graphs.history import changes, rollback
    from graphs.history.recording import Because
    from graphs.history.scopes import ChangeSets
    from graphs.models import Origin
    from graphs.objects.operations import Update
    from graphs.objects.refs import Ref

    bare, audited = (long_history.create(member.workspace, f"rollback-{name}", objects) for name in ("bare", "audited"))
    edits = [Update(Ref("node", f"n{n}"), {"name": f"Name {n}"}, {"name": f"New {n}"}) for n in range(objects)]
    done = changes.apply(audited, edits, Because(member.user, Origin.MANUAL))
    ids = list(bare.nodes.order_by("id").values_list("pk", flat=True))
    with connection.cursor() as cursor:
        cursor.execute("VACUUM (ANALYZE) graphs_node")

    def update(names: list[str]) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(
                "UPDATE graphs_node AS t SET name = v.name, version = t.version + 1 "
                "FROM unnest(%s::bigint[], %s::text[]) AS v(id, name) WHERE t.id = v.id",
                [ids, names],
            )

    def undo(digest: str | None = None) -> None:
        nonlocal done
        scope = ChangeSets((done.change_set_id,))
        done = rollback.roll_back(member.workspace.pk, member.user, scope, digest=digest)

    for number in range(count):
        timed(times, "bare update of many", lambda n=number: update([f"New {n} {id_}" for id_ in ids]))
        timed(times, "rollback of many", undo)
        shown = rollback.preview(member.workspace.pk, ChangeSets((done.change_set_id,))).digest
        timed(times, "rollback of many as shown", lambda d=shown: undo(d))
    with CaptureQueriesContext(connection) as captured:
        undo()
    return sum(query["sql"] not in ("BEGIN", "COMMIT") for query in captured)


def approvals(times: Times, member: Any, objects: int, count: int) -> None:
    """Of one proposal that renames so many nodes: the dry run that makes it, and the decision."""
    from bench import long_history, proposed
    from chat.actions import deciding

    graph = long_history.create(member.workspace, "approvals", objects)
    for number in range(count):
        answer = proposed.conversation(member, graph)
        arguments = proposed.renamed({f"n{n}": f"Better {number} {n}" for n in range(objects)})
        made = timed(times, "propose many", lambda w=answer, a=arguments: proposed.proposed(member, graph, w, a))
        proposed.wait_for(made)
        decision = deciding.Decision(approved=True, digest=made.digest)
        timed(times, "approve many", lambda p=made, d=decision: deciding.decide(member, str(p.pk), d))


def behave_like_a_web_process() -> None:
    """Its modules are loaded and out of garbage collection, and wake-ups go to a hub (here to nobody)."""
    from django.conf import settings

    from chat.events import wakeup

    import_module(settings.ROOT_URLCONF)
    wakeup.local = lambda _stream_id, _last_sequence, _events: None
    gc.collect()
    gc.freeze()


def main() -> None:
    django.setup()
    behave_like_a_web_process()
    from graphs.models import Membership
    from graphs.site.access import member_of

    scale = json.loads(sys.argv[1])
    member = member_of(Membership.objects.get(user__username="demo").user)
    times: Times = {}
    updates(times, member, scale["updates"])
    versions(times, member, {"few": scale["few"], "many": scale["many"]}, scale["reads"])
    statements = rollbacks(times, member, scale["objects"], scale["rollbacks"])
    approvals(times, member, scale["objects"], scale["rollbacks"])
    print(json.dumps({"times": times, "statements": statements}))


if __name__ == "__main__":
    main()
