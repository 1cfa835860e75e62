"""How large a graph may become: as large as a file that can be imported. Measured once changes have brought enough."""

import threading
from collections import OrderedDict
from decimal import Decimal

from django.conf import settings
from django.db import connection
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from graphs.models import Edge, Graph, Node, Sheet
from graphs.objects.actions import ChangeRefused

#: This part of the limit comes to a graph at one process before it is measured.
UNMEASURED = 1 / 80
#: Graphs that a process remembers; one that it forgets is taken for one to which nothing came.
MOST_GRAPHS = 10_000
#: A rollback may bring back what was there beside what came since.
BACK = 2
#: What a node or an edge takes in a file beside its texts, at least what it does.
_PART = 250
_MEASURE = f"""
SELECT coalesce((
    SELECT sum({_PART} + octet_length(to_json(name)::text) + octet_length(to_json(process)::text)
        + octet_length(data::text) + octet_length(handles::text))
    FROM {Node._meta.db_table} WHERE graph_id = %(graph)s
), 0) + coalesce((
    SELECT sum({_PART} + octet_length(to_json(label)::text)) FROM {Edge._meta.db_table} WHERE graph_id = %(graph)s
), 0) + coalesce((
    SELECT sum({_PART} + octet_length(to_json(name)::text)) FROM {Sheet._meta.db_table} WHERE graph_id = %(graph)s
), 0) + coalesce((
    SELECT octet_length(metadata::text) + octet_length(to_json(description)::text)
    FROM {Graph._meta.db_table} WHERE {Graph._meta.pk.column} = %(graph)s
), 0)
"""  # noqa: S608 - names of tables

_lock = threading.Lock()
#: What came to graphs since they were measured.
_came: OrderedDict[int, int] = OrderedDict()


def refuse_growth(graph: int, by: int, *, back: bool) -> None:
    """Raises `ChangeRefused` if a graph is too large to which so many bytes were just written, `back` by a rollback."""
    most = settings.MAX_GRAPH_BYTES
    with _lock:
        came = _came.pop(graph, 0) + by
        if came <= most * UNMEASURED:
            _came[graph] = came
            if len(_came) > MOST_GRAPHS:
                _came.popitem(last=False)
            return
    if measured(graph) > (most * BACK if back else most):
        with _lock:
            _came[graph] = came
        message = _("The graph would be larger than {most} MB. Make it smaller first, or divide it.")
        raise ChangeRefused(message.format(most=number_format(Decimal(f"{most / 1_000_000:.6g}"))))


def measured(graph: int) -> int:
    """The bytes of its file, nearly, in this transaction; the types of its nodes are not counted."""
    with connection.cursor() as cursor:
        cursor.execute(_MEASURE, {"graph": graph})
        (size,) = cursor.fetchone()
    return int(size)
