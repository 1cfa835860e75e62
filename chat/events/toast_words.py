"""What toasts say, in the language of who reads them: stored is what happened."""

from collections.abc import Mapping
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from graphs.objects.kinds import KINDS

#: What happened, as a toast stores it.
IMPORTED = "imported"


def toast_text(data: Mapping[str, Any]) -> str:
    """The sentence of a stored toast; its own text where it has one that is the same for everybody."""
    if data.get("what") != IMPORTED:
        return str(data.get("text", ""))
    if data.get("title"):
        return _("“%(title)s” is imported.") % {"title": data["title"]}
    kind = KINDS.get(str(data.get("kind")))
    names = capfirst(str(kind.plural or kind.label)) if kind else str(data.get("kind"))
    return _("The file is imported: %(kind)s.") % {"kind": names}
