"""What frames of an object's socket do, in the database and in the name of a person who may be here."""

from django.contrib.auth.models import User

from graphs.objects.headers import may_edit, object_for, whole
from graphs.objects.refs import Ref
from graphs.site.access import NotFound, member_of
from graphs.workflows.store import GRAPH


def open_object(user: User, workspace: str, type_: str, key: str) -> tuple[int, bool]:
    """The object's id, of a view that of the whole, and whether the person may edit it.

    Raises `NotFound`, for a graph too: that has its own.
    """
    member = member_of(user, workspace)
    if type_ == GRAPH.name or "\x00" in key:
        raise NotFound
    of = object_for(member, Ref(type_, key))
    return whole(of).pk, may_edit(member, of)
