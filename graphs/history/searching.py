"""Changes found by their words: why they were made, what they changed, and what was and is there."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.contrib.postgres.search import SearchQuery, SearchVector
from django.db.models import Case, F, Func, JSONField, QuerySet, TextField, Value, When
from django.db.models.functions import Cast, Left, Replace

from graphs.models import Modification, Object, Revision
from graphs.objects.headers import narrowed, unseen
from graphs.objects.operations import OF_THE_ROW, fields
from graphs.objects.refs import Ref
from graphs.site.access import Member

#: How words are taken apart: in no language, as they are in several.
CONFIG = "simple"
#: The latest that are looked through: no index has their words, which would cost every write.
MOST_SEARCHED = 5_000
#: Characters of a text that are searched.
SEARCHED_CHARS = 100_000


def found(
    member: Member, words: str, of: Object | None, person: str, since: datetime | None, until: datetime | None
) -> tuple[QuerySet[Modification], bool]:
    """The first modification with the words of each change set, and whether all were looked through.

    Only those of objects that the member may see. `of` is one of them, `person` a part of who did it.
    """
    rows = Modification.objects.filter(change_set__workspace=member.workspace.pk)
    if of is not None:
        rows = rows.filter(type=of.type, object=of.pk)
    for word in person.split():
        rows = rows.filter(change_set__actor_label__icontains=word)
    if since is not None:
        rows = rows.filter(change_set__created_at__gte=since)
    if until is not None:
        rows = rows.filter(change_set__created_at__lt=until)
    latest = rows.order_by("-change_set__created_at", "-change_set_id", "-sequence").values("pk")
    looked_through = Modification.objects.filter(pk__in=latest[:MOST_SEARCHED])
    looked_through = looked_through.exclude(object__in=_hidden(member, looked_through))
    text = SearchVector("change_set__reason", "field", "key", _text("old"), _text("new"), config=CONFIG)
    matching = looked_through.alias(words=text).filter(words=SearchQuery(words, config=CONFIG, search_type="websearch"))
    first = matching.order_by("change_set_id", "sequence").distinct("change_set_id").values("pk")
    return Modification.objects.filter(pk__in=first).select_related("change_set"), not latest[MOST_SEARCHED:].exists()


def revisions_of(modifications: Iterable[Modification]) -> dict[int, Revision]:
    """What the objects of these modifications were called then, by the ids of the modifications."""
    rows = list(modifications)
    found = Revision.objects.filter(
        change_set__in={row.change_set_id for row in rows}, object__in={row.object for row in rows}
    )
    named = {(each.change_set_id, each.type, each.object): each for each in found}
    return {row.pk: named[row.change_set_id, row.type, row.object] for row in rows}


def sides(row: Modification) -> tuple[Any, Any]:
    """What was there, and what is; of a record its fields: nothing that is of its row alone."""
    if row.field:
        return row.old, row.new
    return fields(row.old or {}) or None, fields(row.new or {}) or None


class _Fields(Func):
    """A record without what is of its row alone."""

    template = "((%(expressions)s)::jsonb - ARRAY[{}]::text[])".format(", ".join(f"'{name}'" for name in OF_THE_ROW))
    output_field = JSONField()


def _text(side: str) -> Left:
    """What `sides` tells as text, with spaces where lines end: PostgreSQL writes these as two characters."""
    told = Case(When(field="", then=_Fields(side)), default=F(side))
    return Left(Replace(Cast(told, TextField()), Value("\\n"), Value(" ")), SEARCHED_CHARS)


def _hidden(member: Member, rows: QuerySet[Modification]) -> set[int]:
    """Primary keys of the objects among these that the member may not see."""
    narrow = narrowed()
    if not narrow:
        return set()
    ids = rows.filter(type__in=narrow).values("object")
    revisions = Revision.objects.filter(type__in=narrow, object__in=ids).values_list("type", "key", "object")
    named = {(Ref(type_, key), id_) for type_, key, id_ in revisions.order_by().distinct()}
    hidden = unseen(member, (ref for ref, _id in named))
    return {id_ for ref, id_ in named if ref in hidden}
