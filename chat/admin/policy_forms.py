"""The forms of the policy: tools, kinds and fields are chosen from what there is, objects and items are looked up."""

from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from chat.models import Allowance, ValidationRule
from chat.subjects import tools
from graphs.models import Workspace
from graphs.objects.headers import existing
from graphs.objects.kinds import KINDS, holder_of
from graphs.objects.refs import Ref
from graphs.objects.stores import has_part

Choices = list[tuple[Any, Any]]
#: Chosen, not left empty, so that nobody asks before everything by mistake.
ALL_TOOLS = "all"


def write_tools() -> list[str]:
    return [name for name, tool in tools.by_name().items() if tool.writes]


def tool_label(name: str) -> str:
    """A tool's name as words, with the name itself."""
    return f"{name.removeprefix('propose_').replace('_', ' ')} ({name})"


def _tools(first: Choices, kept: str) -> Choices:
    """The tools to choose from, after the `first` choices; `kept` is what a row has, also where the tool is gone."""
    names = write_tools()
    gone = [kept] if kept and kept not in names else []
    return [*first, *((name, tool_label(name)) for name in [*names, *gone])]


def _parts() -> Choices:
    """The fields of all kinds to choose from, as `kind.field`; without a field it is everything of that kind."""
    choices: Choices = [("", "---------")]
    for kind in KINDS.values():
        whole = _("everything, also that it comes or goes")
        own = [(f"{kind.name}.", whole), *((f"{kind.name}.{each.name}", each.label) for each in kind.fields)]
        choices.append((kind.label, own))
    return choices


class RuleForm(forms.ModelForm):
    class Meta:
        model = ValidationRule
        fields = ("workspace", "tool")

    tool = forms.ChoiceField(
        label=_("Tool"), help_text=_("Asks before every change by this tool, alone or in a batch.")
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        tool = self.fields["tool"]
        assert isinstance(tool, forms.ChoiceField)
        tool.choices = _tools([("", "---------"), (ALL_TOOLS, _("all tools"))], self.instance.tool)
        if self.instance.pk and not self.instance.tool:
            self.initial["tool"] = ALL_TOOLS

    def clean_tool(self) -> str:
        tool: str = self.cleaned_data["tool"]
        return "" if tool == ALL_TOOLS else tool


class AllowanceForm(forms.ModelForm):
    """`what` is kind and field in one, as not every kind has every field."""

    class Meta:
        model = Allowance
        fields = ("workspace", "tool", "object_key", "item_key")

    tool = forms.ChoiceField(label=_("Tool"))
    what = forms.ChoiceField(
        label=_("May change"),
        help_text=_(
            "A change passes at once only where allowances cover everything it does: moving a node needs x and y, "
            "deleting one also needs its edges."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        tool, what = self.fields["tool"], self.fields["what"]
        assert isinstance(tool, forms.ChoiceField)
        assert isinstance(what, forms.ChoiceField)
        tool.choices = _tools([("", "---------")], self.instance.tool)
        what.choices = _parts()
        if self.instance.kind:
            what.initial = f"{self.instance.kind}.{self.instance.field}"

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        kind, _dot, field = cleaned.get("what", "").partition(".")
        self.instance.kind, self.instance.field = kind, field
        workspace = cleaned.get("workspace")
        if workspace and kind:
            self._require_there(workspace, kind, cleaned.get("object_key", ""), cleaned.get("item_key", ""))
        if workspace and not self.errors and self._known(cleaned):
            raise forms.ValidationError(gettext("This allowance exists already."))
        return cleaned

    def _require_there(self, workspace: Workspace, kind: str, object_key: str, item_key: str) -> None:
        """Refuses an object, or a part of one, that there is not."""
        holder = holder_of(kind)
        if item_key and holder.name == kind:
            self.add_error("item_key", gettext("It has no items. Name it as the object, or leave both empty."))
        elif object_key:
            of = existing(workspace.pk, Ref(holder.name, object_key))
            if of is None:
                wanted = {"kind": holder.label}
                self.add_error("object_key", gettext("This workspace has no such object (%(kind)s).") % wanted)
            elif item_key and not has_part(of, Ref(kind, item_key)):
                self.add_error("item_key", gettext("There is no such item. Give its key, not its name."))

    def _known(self, cleaned: dict[str, Any]) -> bool:
        same = {name: cleaned[name] for name in ("workspace", "tool", "object_key", "item_key")}
        found = Allowance.objects.filter(kind=self.instance.kind, field=self.instance.field, **same)
        return found.exclude(pk=self.instance.pk).exists()
