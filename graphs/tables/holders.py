"""What holds the objects of a file, as its cells name it: by its key, or by a title that one object alone has."""

from collections.abc import Collection, Mapping, Sequence

from django.db import models
from django.utils.translation import gettext as _

from graphs.objects.actions import some
from graphs.objects.headers import ref_of, rows_of
from graphs.objects.kinds import Kind
from graphs.objects.model_values import name_of
from graphs.site.access import Member
from graphs.site.json_values import shown


class NoHolder(Exception):
    """A cell names nothing that holds objects, or several such; `code` is for programs, the text for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def keys_by_title(member: Member, kind: Kind, titles: Collection[str]) -> dict[str, list[str]]:
    """The keys of the objects of a kind that the person may see and that have one of these titles."""
    found: dict[str, list[str]] = {}
    title = kind.by_name.get(kind.title)
    if not titles or title is None or title.form != "text":
        return found
    if not isinstance(kind.model._meta.get_field(title.column), models.CharField | models.TextField | models.JSONField):
        return found
    rows = rows_of(kind, member.workspace.pk).filter(**{f"{title.ordered}__in": list(titles)}).order_by("pk")
    for row in rows:
        if (name := name_of(kind, row)) in titles and (kind.may_see is None or kind.may_see(member, row)):
            found.setdefault(name, []).append(ref_of(kind, row).key)
    return found


def key_of(text: str, known: Mapping[str, Sequence[str]]) -> str:
    """The key of what a cell names, out of the keys that are `known` by what names them. Raises `NoHolder`."""
    keys = known.get(text, ())
    if len(keys) == 1:
        return keys[0]
    if not keys:
        raise NoHolder("no_parent", _("There is no such parent."))
    message = _("Several are called “{title}”. Write the id of one of them: {keys}.")
    raise NoHolder("parent_unclear", message.format(title=shown(text), keys=some(keys)))
