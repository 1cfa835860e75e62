"""Conversations about the business records of the demo."""

import re
from typing import Any

from config.demo.records import Language
from graphs.models import Company, Folder, UseCase
from graphs.objects.headers import object_for
from graphs.objects.refs import Ref
from tests.chat.providers.demo.conversing import Conversation
from tests.seeded import World, northwind


def about(here: World, name: str, language: Language = "en", type_: str = "") -> Conversation:
    """A conversation about the record of the demo with this name."""
    if not Company.objects.exists():
        northwind(here, language)
    for kind, model in (("company", Company), ("folder", Folder), ("usecase", UseCase)):
        row: Any = model.objects.filter(name=name).first()
        if row is not None:
            return Conversation(here.alice, object_for(here.alice, Ref(type_ or kind, str(row.pk))))
    raise AssertionError(name)


def names(answer: str) -> list[str]:
    """The titles of the use cases that an answer links, in its order."""
    keys = re.findall(r"\{\{usecase:([0-9a-f-]+)\}\}", answer)
    return [UseCase.objects.get(pk=key).name for key in dict.fromkeys(keys)]
