"""The subjects of conversations, by the name of the kind of objects that they are about."""

from typing import Any

from chat.subjects.generating import Generation, require_fields
from chat.subjects.subject import Subject
from graphs.objects.kinds import is_object

DEFAULT = Subject()
SUBJECTS: dict[str, Subject] = {}


def register(kind: str, subject: Subject) -> None:
    """Makes a subject known, when the program starts. Raises `ValueError` for what cannot work."""
    if not is_object(kind):
        raise ValueError(f"No kind of object is called {kind!r}. Register the model with graphs.objects before.")
    if not isinstance(subject, Subject):
        raise ValueError(f"{kind}: {subject!r} is no subject. Write register({kind!r}, MySubject()), of a Subject.")
    if kind in SUBJECTS:
        raise ValueError(f"Two subjects are registered for {kind!r}. Keep one of them.")
    known = {tool.name: tool for each in every_subject() for tool in (*each.tools, *each.loaded_tools)}
    for tool in (*subject.tools, *subject.loaded_tools):
        if known.get(tool.name, tool) is not tool:
            raise ValueError(f"Two tools are called {tool.name!r}. Give one of them another name.")
    for generation in subject.generations:
        require_fields(kind, generation)
    SUBJECTS[kind] = subject


def subject_of(kind: str) -> Subject:
    """The subject of conversations about objects of a kind; "" stands for nothing."""
    return SUBJECTS.get(kind, DEFAULT)


def every_subject() -> list[Subject]:
    """All that are registered, and the one that serves the other kinds."""
    return [*SUBJECTS.values(), DEFAULT]


def generation_of(kind: str, type_: str) -> Generation[Any] | None:
    """What prompts of that type make of an object of a kind; None if they make nothing of it."""
    return next((each for each in subject_of(kind).generations if each.prompt_type == type_), None)
