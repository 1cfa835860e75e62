"""What a conversation about objects of a kind is told, offered and asked first."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django.utils.translation import gettext as _

from chat.subjects import words
from chat.subjects.generating import Generation
from chat.tools.proposing import BATCH
from chat.tools.tool import Tool
from graphs.models import Object, Role
from graphs.objects.kinds import store_of
from graphs.objects.refs import Ref

#: The icon of a question that asks for a change, which is offered to who may change something.
ASKS_FOR_A_CHANGE = "pencil"


@dataclass(frozen=True, slots=True)
class Welcome:
    """What the panel says before the first message: `questions` are icons with texts, `show` a button of proposals."""

    invitation: str
    placeholder: str
    questions: tuple[tuple[str, str], ...]
    show: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """The table of records of a kind: its name, its columns, and those by which its rows are grouped.

    Beside fields of the kind a column is "key", "object" (type:key), or the kind of the object that a part belongs to.
    """

    name: str
    columns: tuple[str, ...]
    by: tuple[str, ...] = ()


class Subject:
    """Words, tools and first questions of conversations about a kind; as it is, of those that have none."""

    #: Parts of the system prompt: what the person may do, and how changes are proposed.
    roles: ClassVar[Mapping[Role, str]] = words.ROLES
    proposing: ClassVar[str] = words.PROPOSING
    #: Which tools to prefer, and how such an object is built and what its fields mean.
    advice: ClassVar[str] = ""
    conventions: ClassVar[str] = ""
    #: Offered besides the tools that read the conversation, and those for objects of any kind.
    tools: ClassVar[Sequence[Tool[Any]]] = (BATCH,)
    #: Whether those for objects of any kind are sent only once a model asks for them.
    loads_object_tools: ClassVar[bool] = False
    #: Sent together with those.
    loaded_tools: ClassVar[Sequence[Tool[Any]]] = ()
    #: In which tables the records that are always sent stand, by kind; a kind without one has a table of its fields.
    tables: ClassVar[Mapping[str, Table]] = {}
    #: What managed prompts make of such an object, in the order of their buttons.
    generations: Sequence[Generation[Any]] = ()

    def rules(self) -> str:
        """The rules that such a conversation keeps."""
        return words.RULES

    def this_conversation(self, about: Object | None) -> str:
        """The end of the system prompt. Conversations keep it: what changes by itself does not belong here."""
        return words.about_text(about)

    def examples(self) -> Iterable[str]:
        """Each sentence that `this_conversation` may say, at least once: the version of the prompt tells them apart."""
        return words.about_text(None), words.about_text(Object(type="example", key="1"))

    def example_arguments(self, about: Object) -> dict[str, Any]:
        """A value for every argument that a tool which reads may require."""
        return {
            "object": str(Ref(about.type, about.key)),
            "kind": about.type,
            "query": store_of(about.type).title(about),
            "a": 1,
            "b": 1,
        }

    def welcome(self, title: str) -> Welcome:
        """What the panel says, in the language of the page; `title` is the object's, "" about nothing."""
        can = ("question", _("What can I ask you?"))
        if title:
            return Welcome(
                _("Ask anything about “{title}”. The assistant looks it up and shows what it read.").format(
                    title=title
                ),
                _("Ask a question…"),
                (
                    ("read", _("What do you know about “{title}”?").format(title=title)),
                    ("list", _("What was changed in “{title}” last?").format(title=title)),
                    can,
                ),
            )
        return Welcome(
            _("Ask which workflows there are. For what is in one, open it and ask there."),
            _("Ask a question…"),
            (
                ("list", _("Which workflows are in this workspace?")),
                ("search", _("Which workflow has to do with customers?")),
                can,
            ),
        )
