"""What differs between two versions of a prompt, in the shape in which every diff of the site is shown."""

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from chat.models import PromptVersion
from graphs.history import code_diff
from graphs.history.diffs import DiffEntry, DiffField
from graphs.site.shapes import AsItIs, Shape

#: How the text of a language is called.
TEXTS = {"en": gettext_lazy("English text"), "fr": gettext_lazy("French text")}


class PromptDiffShape(Shape):
    """`diff` is empty where nothing differs."""

    a: int
    b: int
    diff: AsItIs[list[DiffEntry]]


def diff_of(old: PromptVersion, new: PromptVersion) -> PromptDiffShape:
    """What differs between two versions of one prompt, the texts line by line."""
    languages = [code for code, _name in settings.LANGUAGES if code in {*old.texts, *new.texts}]
    fields = [
        *(_text(code, old.texts.get(code, ""), new.texts.get(code, "")) for code in languages),
        DiffField(field="model", label=_("model"), form="text", old=old.model, new=new.model),
    ]
    changed = [field for field in fields if field["old"] != field["new"]]
    entry: DiffEntry = {
        "object": {"type": "prompt", "id": old.prompt.key},
        "kindLabel": _("prompt"),
        "label": f"{old} → {new}",
        "action": "update",
        "fields": changed,
    }
    return PromptDiffShape(a=old.number, b=new.number, diff=[entry] if changed else [])


def _text(language: str, old: str, new: str) -> DiffField:
    lines = [line.to_json() for line in code_diff.lines(old, new)]
    label = str(TEXTS.get(language, language))
    return {"field": f"text.{language}", "label": label, "form": "code", "old": old, "new": new, "lines": lines}
