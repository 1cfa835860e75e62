"""The subjects of conversations about companies, folders, use cases and executive summaries."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from chat.subjects.generating import Generation
from chat.subjects.records import words
from chat.subjects.records.generations import GENERATIONS
from chat.subjects.registered_subjects import register
from chat.subjects.subject import ASKS_FOR_A_CHANGE, Subject, Welcome
from chat.tools.generating import GENERATE
from chat.tools.proposing import BATCH
from graphs.models import Object
from graphs.records.kinds import COMPANY, EXECUTIVE_SUMMARY, FOLDER, USE_CASE


@dataclass(frozen=True)
class RecordSubject(Subject):
    """The words of records, with the first questions of one kind: pairs of an icon and a text.

    `of_list` is the first question beside a list of them.
    """

    kind: str
    of_list: str | Promise
    questions: Sequence[tuple[str, str | Promise]]
    generations: Sequence[Generation[Any]] = ()

    tools = (BATCH, GENERATE)
    conventions = words.CONVENTIONS
    advice = words.ADVICE

    def this_conversation(self, about: Object | None) -> str:
        assert about is not None
        return words.about_text(about)

    def examples(self) -> Iterable[str]:
        return (words.about_text(Object(type=self.kind, key="1")),)

    def welcome(self, title: str) -> Welcome:
        if not title:
            return self._beside_a_list()
        return Welcome(
            _("Ask anything about “{title}”. The assistant reads it with what is above and below it.").format(
                title=title
            ),
            _("Ask a question…"),
            tuple((icon, str(question)) for icon, question in self.questions),
        )

    def _beside_a_list(self) -> Welcome:
        return Welcome(
            _("Ask which companies, folders and use cases there are. For what is in one, open it and ask there."),
            _("Ask a question…"),
            (
                ("list", str(self.of_list)),
                ("search", _("Which records have to do with customers?")),
                ("question", _("What can I ask you?")),
            ),
        )


SUBJECTS = (
    RecordSubject(
        COMPANY.name,
        gettext_lazy("Which companies are there?"),
        (
            ("read", gettext_lazy("What is this company about?")),
            ("list", gettext_lazy("Which folders does it have?")),
            ("search", gettext_lazy("Which use cases fit its objectives?")),
        ),
        generations=GENERATIONS[COMPANY.name],
    ),
    RecordSubject(
        FOLDER.name,
        gettext_lazy("Which folders are there?"),
        (
            ("list", gettext_lazy("Which use cases are in this folder?")),
            ("search", gettext_lazy("Which use cases are valuable and easy?")),
            ("question", gettext_lazy("What is missing?")),
        ),
        generations=GENERATIONS[FOLDER.name],
    ),
    RecordSubject(
        USE_CASE.name,
        gettext_lazy("Which use cases are there?"),
        (
            ("read", gettext_lazy("What is this use case about?")),
            ("search", gettext_lazy("Which use cases are similar?")),
            (ASKS_FOR_A_CHANGE, gettext_lazy("Propose a better description")),
        ),
        generations=GENERATIONS[USE_CASE.name],
    ),
    RecordSubject(
        EXECUTIVE_SUMMARY.name,
        gettext_lazy("Which folders are there?"),
        (
            ("read", gettext_lazy("What does this summary say?")),
            ("search", gettext_lazy("Which use cases are valuable and easy?")),
            ("question", gettext_lazy("What is missing?")),
        ),
        generations=GENERATIONS[EXECUTIVE_SUMMARY.name],
    ),
)


def register_records() -> None:
    """Makes the subjects known, when the program starts."""
    for subject in SUBJECTS:
        register(subject.kind, subject)
