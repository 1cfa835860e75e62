"""The variables that a prompt of each type is given, and the kinds of objects that it can be about."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from chat.models import PromptType


@dataclass(frozen=True, slots=True)
class Variable:
    """What stands in the place of `{{name}}`; where it is `required`, a prompt without it would be about nothing."""

    name: str
    label: str | Promise
    required: bool = False


@dataclass(frozen=True, slots=True)
class Asks:
    """What prompts of one type are about, and what they are given.

    The kind is only named: the admin loads this module before the kinds are registered, whose order that would change.
    """

    about: str
    variables: tuple[Variable, ...]

    @property
    def names(self) -> list[str]:
        return [variable.name for variable in self.variables]

    @property
    def required(self) -> list[str]:
        return [variable.name for variable in self.variables if variable.required]


_COMPANY = _("the company with its fields")
_FOLDER = _("the folder with its fields")
_INSTRUCTIONS = Variable("instructions", _("what the person asks for besides"))

ASKS: Mapping[str, Asks] = {
    PromptType.COMPANY_INFO: Asks("company", (Variable("company", _COMPANY, required=True), _INSTRUCTIONS)),
    PromptType.FOLDER_NAME: Asks(
        "folder",
        (
            Variable("folder", _FOLDER, required=True),
            Variable("company", _COMPANY),
            Variable("use_cases", _("the use cases of the folder: name and description")),
            _INSTRUCTIONS,
        ),
    ),
    PromptType.USE_CASE_LIST: Asks(
        "folder",
        (
            Variable("folder", _FOLDER, required=True),
            Variable("company", _COMPANY),
            Variable("use_cases", _("the use cases of the folder: name and description")),
            Variable("count", _("how many use cases are asked for")),
            _INSTRUCTIONS,
        ),
    ),
    PromptType.USE_CASE_DETAIL: Asks(
        "usecase",
        (
            Variable("use_case", _("the use case with its fields"), required=True),
            Variable("folder", _FOLDER),
            Variable("company", _COMPANY),
            Variable("axes", _("the axes of the folder's matrix with their levels")),
            _INSTRUCTIONS,
        ),
    ),
    PromptType.EXECUTIVE_SUMMARY: Asks(
        "executive_summary",
        (
            Variable("folder", _FOLDER, required=True),
            Variable("company", _COMPANY),
            Variable("use_cases", _("the use cases of the folder with their places in the matrix"), required=True),
            _INSTRUCTIONS,
        ),
    ),
}
