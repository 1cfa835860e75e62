"""How much of what a record may hold."""

from graphs.models.records import MAX_RECORD_NAME, MAX_RECORD_TEXT

#: Characters of a name or of another text of one line, and of one of several lines.
NAME_CHARS = MAX_RECORD_NAME
TEXT_CHARS = MAX_RECORD_TEXT
#: Texts of a list, and characters of each.
TEXTS = 100
LISTED_CHARS = 1_000
#: Characters of the section of an executive summary.
SECTION_CHARS = 50_000
#: Characters of all data of a use case, as JSON: thousands of them are read, moved and deleted at once.
DATA_CHARS = 200_000
#: Keys of a use case that no field names, and characters of each such key.
OTHER_KEYS = 100
KEY_CHARS = 100
#: Axes of one side of a matrix, characters of the id of one, and the most that one weighs.
AXES = 20
AXIS_ID_CHARS = 60
WEIGHT = 1_000
#: Ratings of an axis go from 1 to this; each gives so many points at most.
RATING = 5
POINTS = 10_000
#: Where use cases are parted, on either side: the most that a side can amount to.
THRESHOLD = AXES * WEIGHT * POINTS
