"""What the executive summary of a folder may be."""

from graphs.objects.strict import StrictModel
from graphs.records.texts import Section


class ExecutiveSummaryShape(StrictModel):
    introduction: Section | None = None
    analysis: Section | None = None
    recommendation: Section | None = None
    references: Section | None = None
