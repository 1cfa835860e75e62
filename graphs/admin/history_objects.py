"""The objects of a change set: links to their pages, and what became of each of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from graphs.admin.display import change_link
from graphs.admin.history_diff import ShownItem, of_modifications
from graphs.models import ChangeSet, Modification, Object, Revision
from graphs.objects.refs import Ref
from graphs.objects.stores import labels


@dataclass(frozen=True, slots=True)
class ShownObject:
    label: str
    items: list[ShownItem]


def links(change_set: ChangeSet) -> Iterator[SafeString]:
    """To the objects as they are, and to their versions; of one that is gone its versions are left."""
    revisions = list(change_set.revisions.all())
    there = Object.objects.in_bulk([revision.object for revision in revisions])
    for revision in revisions:
        name, found = _name(revision), there.get(revision.object)
        yield format_html(
            '{} <span class="quiet">{}</span> <a href="{}?a={}&amp;b={}">{}</a>',
            change_link(found, name) if found else format_html("{} {}", name, _("(deleted since)")), revision.version,
            reverse("admin:graphs_object_versions", args=[revision.object]), revision.version - 1, revision.version,
            _("versions"),
        )  # fmt: skip


def shown(change_set: ChangeSet, rows: Sequence[Modification], whole: bool) -> list[ShownObject]:
    """Rows of a change set, in its order, by object."""
    names = {(each.type, each.object): _name(each) for each in change_set.revisions.all()}
    found = []
    for named, group in groupby(rows, key=lambda row: (row.type, row.object)):
        own = list(group)
        changed = Object.objects.filter(pk=named[1]).first()
        known = labels(changed, [Ref(row.kind, row.key) for row in own]) if changed else {}
        found.append(ShownObject(names.get(named, ""), of_modifications(own, known, whole)))
    return found


def _name(revision: Revision) -> str:
    return revision.label or revision.key
