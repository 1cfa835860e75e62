"""What the values of a company may be."""

from graphs.objects.strict import StrictModel
from graphs.records.texts import Line, Name, Text


class CompanyShape(StrictModel):
    """Its fields are columns."""

    name: Name
    industry: Line
    size: Line
    products: Text
    processes: Text
    challenges: Text
    objectives: Text
    technologies: Text
