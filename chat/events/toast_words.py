"""What toasts say, in the language of who reads them: stored is what happened."""

from collections.abc import Mapping
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from graphs.objects.kinds import KINDS

#: What happened, as a toast stores it.
IMPORTED = "imported"
GENERATED, GENERATION_WAITS, GENERATION_FAILED = "generated", "generation_waits", "generation_failed"


def toast_text(data: Mapping[str, Any]) -> str:
    """The sentence of a stored toast; its own text where it has one that is the same for everybody."""
    title = {"title": data.get("title", "")}
    match data.get("what"):
        case "imported":
            return _("“%(title)s” is imported.") % title if title["title"] else _file_text(data)
        case "generated":
            return _("“%(title)s”: what was generated is there.") % title
        case "generation_waits":
            return _("“%(title)s”: what was generated waits for a decision.") % title
        case "generation_failed":
            return _("“%(title)s”: the generation failed.") % title
    return str(data.get("text", ""))


def _file_text(data: Mapping[str, Any]) -> str:
    kind = KINDS.get(str(data.get("kind")))
    names = capfirst(str(kind.plural or kind.label)) if kind else str(data.get("kind"))
    return _("The file is imported: %(kind)s.") % {"kind": names}
