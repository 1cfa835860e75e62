"""What a person gives to import a graph, through the page or the API, and doing it."""

from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy as _

from graphs.models import Workspace
from graphs.workflows import imports
from graphs.workflows.interchange.formats import parse
from graphs.workflows.interchange.parsed_graph import Format, Limits
from graphs.workflows.interchange.refusals import ImportRefused

FORMATS = [
    ("auto", _("Find out by itself")),
    ("native", _("Countersign")),
    ("n8n", "n8n"),
    ("node-red", "Node-RED"),
]


class ImportForm(forms.Form):
    file = forms.FileField(label=_("File"), allow_empty_file=True)
    format = forms.ChoiceField(label=_("Format"), choices=FORMATS, required=False, initial="auto")
    key = forms.CharField(
        label=_("Key"),
        required=False,
        max_length=100,
        help_text=_("Part of the graph's address. Left empty, it is made from the name."),
    )

    def run(self, workspace: Workspace, actor: User) -> imports.ImportedGraph:
        """Imports the file of a valid form. Raises `ImportRefused`, `KeyTaken` or `KeyInvalid`."""
        given: dict[str, Any] = self.cleaned_data
        limits = Limits(settings.MAX_IMPORT_BYTES, settings.MAX_IMPORT_NODES)
        chosen = cast(Format, given["format"] or "auto")
        parsed = parse(given["file"].read(), chosen, limits, given["file"].name)
        return imports.import_graph(workspace, parsed, given["key"] or None, actor)


def explain(refusal: ImportRefused) -> dict[str, list[str]]:
    """{place in the file: [sentences]}; what concerns the whole file is under "file"."""
    found: dict[str, list[str]] = {}
    for problem in refusal.problems:
        found.setdefault(problem.where or "file", []).append(problem.message)
    return found
