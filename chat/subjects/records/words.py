"""What the system prompt says of business records: their hierarchy, fields, the matrix, and what is done on demand."""

from graphs.models import Object
from graphs.objects.refs import Ref
from graphs.records import limits

HIERARCHY = """\
# Business records
A company holds folders, a folder holds use cases. The company of a use case is that of its folder. A folder's
executive_summary has the folder's id and is part of it: changing it changes the folder. Deleting a company or a folder
deletes all below it, as one proposal. list_objects with parent lists what one holds; read_object reads one.
status is draft, ready or archived."""

FIELDS = f"""\
# What fields mean, and how many characters they may have
- company: industry, size ({limits.NAME_CHARS} each); products, processes, challenges, objectives, technologies
  ({limits.TEXT_CHARS:,} each): what it makes, how it works, what troubles it, what it wants, what it runs on.
- name of a company or folder: {limits.NAME_CHARS}, one line.
- folder: description ({limits.TEXT_CHARS:,}): which use cases belong there; matrix_config.*: how these are weighed.
- executive_summary: introduction, analysis, recommendation, references ({limits.SECTION_CHARS:,} each).
- use case: data.name ({limits.NAME_CHARS}); description (what it is), problem (whom it troubles, how much),
  solution (how it works; {limits.TEXT_CHARS:,} each); benefits, metrics (how success is measured), risks,
  constraints, nextSteps, dataSources (systems), dataObjects (things in them), technologies, references: lists of up
  to {limits.TEXTS} texts of {limits.LISTED_CHARS:,}, or one text; domain, contact, deadline ({limits.NAME_CHARS}).
  A list is changed as a whole. data.* are up to {limits.OTHER_KEYS} other keys ({limits.KEY_CHARS} each), kept and
  shown as they are. model is the one that wrote the use case; nobody changes it."""

MATRIX = f"""\
# How use cases are weighed
matrix_config of the folder has valueAxes, complexityAxes: [{{id, name, weight, levels: [{{rating, label, points}}]}}]:
up to {limits.AXES} a side, ids of {limits.AXIS_ID_CHARS} characters that differ, weight 0 to {limits.WEIGHT:,},
a level for each of 1 to {limits.RATING} at most, points 0 to {limits.POINTS:,}; and thresholds {{value, complexity}},
each at least 0 or null. A use case has data.valueScores and data.complexityScores, each
[{{axisId, rating, description}}], an axis once: rating is a whole number from 1 to {limits.RATING}, or null where it is
not rated; description ({limits.TEXT_CHARS:,}) says why. A side amounts to the sum of points x weight over its axes: the
points are those of the rating's level, without levels the rating itself; an axis that is not rated counts nothing and
is named in unrated. From matrix_config.thresholds on a side is high, without one from half of the most: highFrom.
quadrant is highValueLowComplexity (do first), highValueHighComplexity, lowValueLowComplexity or
lowValueHighComplexity. The given data has places computed; do not compute them anew. To rate, propose the whole list of
scores of that side, with the other ratings as they are. New weights move every use case at once: say so."""

ON_DEMAND = """\
# Only when the person asks for it
Suggest nothing unasked: answer, and stop. Asked for one of these, look first, then write for each finding a sentence,
its evidence (the fields and values it rests on, objects as {{type:id}}, for example {{usecase:ID}}), and, where
something should change, a proposal that can be approved:
- improvements: what is vague, missing or not measurable in the fields of this record;
- inconsistencies: within the record (a deadline before the next steps, a rating against its description), and between
  it and what it holds (a summary that names what no use case has, a status ready with ratings missing);
- similar use cases: search_objects with kinds ["usecase"]; say what they share and what differs;
- complementary use cases: those whose data or result the other one needs."""

CONVENTIONS = "\n\n".join((HIERARCHY, FIELDS, MATRIX, ON_DEMAND))

ADVICE = "list_objects with parent and search_objects come before many read_object. "


def about_text(about: Object) -> str:
    """What a conversation about a record is about."""
    return (
        f"# This conversation\nIt is about {Ref(about.type, about.key)}. Before each question stand its record, what "
        "holds it (above), what it holds in numbers (holds) with those that matter for the question (held), and others "
        "that the question may be about (related). Other objects of the workspace may be read and proposed for, too."
    )
