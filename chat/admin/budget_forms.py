"""The form of a budget: whose it is, what it limits, and by how much."""

import uuid
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from chat.models import Budget, BudgetScope, BudgetUnit, Session, SessionType
from graphs.models import Workspace

#: What belongs to which scope.
_PERSON = frozenset({BudgetScope.USER})
_CONVERSATION = frozenset({BudgetScope.SESSION, BudgetScope.AUTOMATION})


class BudgetForm(forms.ModelForm):
    """People are given by their names, conversations by their ids, as they stand in the list of sessions."""

    class Meta:
        model = Budget
        fields = ("workspace", "scope", "unit", "period", "limit", "active")

    person = forms.CharField(
        label=_("Person"),
        required=False,
        max_length=150,
        help_text=_("User name, for a budget of a person. Empty: every person has this budget, each apart."),
    )
    conversation = forms.CharField(
        label=_("Conversation"),
        required=False,
        max_length=36,
        help_text=_(
            "Id of the session, for a budget of a conversation or an automation. Empty: each of them has this budget."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            self.initial["limit"] = f"{self.instance.limit.normalize():f}"

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if "scope" not in self.fields:  # what a budget measures stays as it is
            return cleaned
        workspace, scope = cleaned.get("workspace"), str(cleaned.get("scope", ""))
        person, conversation = cleaned.get("person", ""), cleaned.get("conversation", "")
        if person and scope not in _PERSON:
            self.add_error("person", gettext("Only a budget of a person names one."))
        elif person and workspace:
            self.instance.user = self._member(workspace, person)
        if conversation and scope not in _CONVERSATION:
            self.add_error("conversation", gettext("Only a budget of a conversation or an automation names one."))
        elif conversation and workspace:
            self.instance.session = self._session(workspace, scope, conversation)
        return cleaned

    def clean_limit(self) -> Decimal:
        limit: Decimal = self.cleaned_data["limit"]
        unit = self.cleaned_data.get("unit") or self.instance.unit
        if unit == BudgetUnit.TOKENS and limit != int(limit):
            raise forms.ValidationError(gettext("Tokens are counted whole."))
        return limit

    def _member(self, workspace: Workspace, name: str) -> User | None:
        found = User.objects.filter(username=name, memberships__workspace=workspace).first()
        if found is None:
            self.add_error("person", gettext("This workspace has no member with this name."))
        return found

    def _session(self, workspace: Workspace, scope: str, id_: str) -> Session | None:
        try:
            sessions = Session.objects.filter(pk=uuid.UUID(id_), workspace=workspace)
        except ValueError:
            sessions = Session.objects.none()
        if scope == BudgetScope.AUTOMATION:
            sessions = sessions.filter(type=SessionType.AUTOMATION)
        found = sessions.first()
        if found is None:
            self.add_error("conversation", gettext("This workspace has no such session."))
        return found
