"""What the five prompts for records make: facts of a company, names, use cases and their details, summaries."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import Field

from chat.models import PromptType
from chat.subjects.generating import MOST, Change, Fills, Generation, Output, Request
from chat.tools.tool import Arguments
from graphs.models import Folder
from graphs.objects.actions import ChangeRefused, CreateObject
from graphs.objects.headers import holder_of
from graphs.objects.model_rows import row_of
from graphs.objects.model_values import record_of
from graphs.objects.refs import Ref
from graphs.records import limits
from graphs.records.folder_matrix import folder_for
from graphs.records.kinds import COMPANY, EXECUTIVE_SUMMARY, FOLDER, USE_CASE

#: Addresses that a text names as its sources.
SOURCES = 30
Line = Annotated[str, Field(max_length=limits.NAME_CHARS)]
Name = Annotated[str, Field(min_length=1, max_length=limits.NAME_CHARS)]
Text = Annotated[str, Field(max_length=limits.TEXT_CHARS)]
Section = Annotated[str, Field(max_length=limits.SECTION_CHARS)]
Texts = Annotated[list[Annotated[str, Field(max_length=limits.LISTED_CHARS)]], Field(max_length=limits.TEXTS)]


class CompanyInfo(Output):
    name: Name = Field(description="Its name as it stands; only a misspelt one is corrected.")
    industry: Line
    size: Line
    products: Text
    processes: Text
    challenges: Text
    objectives: Text
    technologies: Text


class FolderName(Output):
    name: Name
    description: Text


class FoundUseCase(Arguments):
    name: Name
    description: Annotated[str, Field(min_length=1, max_length=limits.TEXT_CHARS)]


class UseCaseList(Output):
    use_cases: Annotated[list[FoundUseCase], Field(min_length=1, max_length=MOST)]


class Score(Arguments):
    axis_id: Annotated[str, Field(min_length=1, max_length=limits.AXIS_ID_CHARS)] = Field(
        description="id of an axis of that side."
    )
    rating: Annotated[int, Field(ge=1, le=limits.RATING)]
    description: Annotated[str, Field(min_length=1, max_length=limits.TEXT_CHARS)] = Field(description="The reason.")


Scores = Annotated[list[Score], Field(max_length=limits.AXES)]


class UseCaseDetail(Output):
    description: Text
    problem: Text
    solution: Text
    benefits: Texts
    metrics: Texts
    risks: Texts
    constraints: Texts
    next_steps: Texts
    data_sources: Texts
    data_objects: Texts
    domain: Line
    technologies: Texts
    contact: Line
    deadline: Line
    references: Texts
    value_scores: Scores = Field(description="A rating for every axis of value.")
    complexity_scores: Scores = Field(description="A rating for every axis of complexity.")


class ExecutiveSummary(Output):
    introduction: Section
    analysis: Section
    recommendation: Section
    references: Section


class FindsUseCases(Generation[UseCaseList]):
    """Makes use cases in a folder, each of which is worked out after that."""

    prompt_type = PromptType.USE_CASE_LIST
    label = gettext_lazy("Find use cases")
    output = UseCaseList
    counts = True
    then = PromptType.USE_CASE_DETAIL

    def changes(self, request: Request, output: UseCaseList) -> Sequence[Change]:
        most = request.count or MOST
        if len(output.use_cases) > most:
            sentence = _("These are {count} use cases; at most {most} were asked for.")
            raise ChangeRefused(sentence.format(count=len(output.use_cases), most=most))
        names = [each.name.casefold().strip() for each in output.use_cases]
        if len(set(names)) < len(names):
            raise ChangeRefused(_("Two of these use cases have one name. Each has a name of its own."))
        folder = Ref(request.about.type, request.about.key)
        return [
            CreateObject.model_validate(
                {
                    "kind": USE_CASE.name,
                    "parent": str(folder),
                    "key": request.key(place),
                    "fields": {"data.name": each.name, "data.description": each.description},
                }
            )
            for place, each in enumerate(output.use_cases)
        ]


class WorksOut(Fills[UseCaseDetail]):
    """Fills the fields of a use case, and rates it on every axis of its folder."""

    def more(self, request: Request, output: UseCaseDetail) -> dict[str, Any]:
        folder = _folder_of(request)
        config = folder.matrix_config if folder else {}
        return {
            f"data.{side}Scores": self._scores(side, config.get(f"{side}Axes") or [], scores)
            for side, scores in (("value", output.value_scores), ("complexity", output.complexity_scores))
        }

    def _scores(self, side: str, axes: Sequence[Mapping[str, Any]], scores: Sequence[Score]) -> list[dict[str, Any]]:
        """The ratings as the use case keeps them. Raises `ChangeRefused` unless each axis is rated once."""
        wanted = [str(axis["id"]) for axis in axes]
        rated = [score.axis_id for score in scores]
        if sorted(wanted) != sorted(rated):
            sentence = _("{field} has to rate each axis of that side once, by its id. Axes: {axes}.")
            raise ChangeRefused(sentence.format(field=f"{side}Scores", axes=", ".join(wanted) or "–"))
        return [score.model_dump(mode="json", by_alias=True) for score in scores]


def _folder_of(request: Request) -> Folder | None:
    """The folder that holds the use case."""
    row = row_of(request.about)
    held_by = holder_of(request.member, USE_CASE, record_of(USE_CASE, row)) if row is not None else None
    return folder_for(request.member, held_by.key) if held_by is not None else None


#: Fields of objects by those of outputs.
_OF_COMPANY = {name: name for name in CompanyInfo.model_fields if name != "reason"}
_OF_FOLDER = {name: name for name in FolderName.model_fields if name != "reason"}
_SECTIONS = ("introduction", "analysis", "recommendation", "references")
_OF_USE_CASE = {
    name: f"data.{UseCaseDetail.model_fields[name].alias}"
    for name in UseCaseDetail.model_fields
    if name not in ("reason", "value_scores", "complexity_scores")
}
GENERATIONS: dict[str, tuple[Generation[Any], ...]] = {
    COMPANY.name: (
        Fills(
            PromptType.COMPANY_INFO,
            gettext_lazy("Fill in with AI"),
            CompanyInfo,
            _OF_COMPANY,
            searches=True,
        ),
    ),
    FOLDER.name: (
        FindsUseCases(),
        Fills(
            PromptType.FOLDER_NAME,
            gettext_lazy("Name with AI"),
            FolderName,
            _OF_FOLDER,
        ),
    ),
    USE_CASE.name: (
        WorksOut(PromptType.USE_CASE_DETAIL, gettext_lazy("Work out with AI"), UseCaseDetail, _OF_USE_CASE),
    ),
    EXECUTIVE_SUMMARY.name: (
        Fills(
            PromptType.EXECUTIVE_SUMMARY,
            gettext_lazy("Write the summary with AI"),
            ExecutiveSummary,
            {name: f"executive_summary.{name}" for name in _SECTIONS},
        ),
    ),
}
