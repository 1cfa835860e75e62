"""What a person gives to import a graph, through the page or the API, and doing it."""

from typing import Any, cast, get_args

from django import forms
from django.conf import settings
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy as _

from graphs.models import Workspace
from graphs.site.imports_under_way import Made, importing
from graphs.workflows import imports
from graphs.workflows.interchange.formats import parse
from graphs.workflows.interchange.parsed_graph import Format, Limits
from graphs.workflows.interchange.refusals import ImportRefused
from graphs.workflows.store import GRAPH

FORMATS = [
    ("auto", _("Find out by itself")),
    ("native", _("Countersign")),
    ("n8n", "n8n"),
    ("node-red", "Node-RED"),
]


class ImportForm(forms.Form):
    file = forms.FileField(label=_("File"), allow_empty_file=True)
    format = forms.ChoiceField(label=_("Format"), choices=FORMATS, required=False, initial="auto")
    #: What happens where there is a graph with the key.
    ifExists = forms.ChoiceField(  # noqa: N815 - as it is on the wire
        choices=[(name, name) for name in get_args(imports.IfExists)], required=False, widget=forms.HiddenInput
    )
    key = forms.CharField(
        label=_("Key"),
        required=False,
        max_length=100,
        help_text=_("Part of the graph's address. Left empty, it is made from the name."),
    )

    def run(
        self, workspace: Workspace, actor: User, unless_asked: imports.IfExists | None = None
    ) -> imports.ImportedGraph:
        """Imports the file of a valid form.

        The form says what happens where the key is taken, or else `unless_asked` does.
        Raises `ImportRefused`, `KeyTaken`, `KeyInvalid`, or `ImportStopped`.
        """
        given: dict[str, Any] = self.cleaned_data
        limits = Limits(settings.MAX_IMPORT_BYTES, settings.MAX_IMPORT_NODES)
        chosen = cast(Format, given["format"] or "auto")
        if_exists = cast(imports.IfExists | None, given["ifExists"] or unless_asked)
        file = given["file"]
        with importing(workspace.pk, actor, GRAPH.name, str(file.name)) as running:
            parsed = parse(file.read(), chosen, limits, file.name, on_progress=running.look)
            key = given["key"] or None
            done = imports.import_graph(workspace, parsed, key, actor, running.reach, if_exists=if_exists)
            running.made = Made(GRAPH.name, done.graph.key, done.graph.title)
            return done


def explain(refusal: ImportRefused) -> dict[str, list[str]]:
    """{place in the file: [sentences]}; what concerns the whole file is under "file"."""
    found: dict[str, list[str]] = {}
    for problem in refusal.problems:
        found.setdefault(problem.where or "file", []).append(problem.message)
    return found
