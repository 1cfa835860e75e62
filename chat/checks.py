"""What `manage.py check`, the log of a start and administrators' pages say: what cannot work, and what is unsafe."""

from contextlib import suppress
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register
from django.utils.translation import gettext

from chat.engine import available_models
from chat.providers.sentences import Sentence
from graphs.site import encryption, owner
from graphs.site.database_away import AWAY
from rag.checks import embedder_is_usable, search_engine_is_usable


@register()
def models_are_usable(**_options: Any) -> list[CheckMessage]:
    return [Error(_in_words(sentence), id="chat.E001") for sentence in available_models.problems()]


def _in_words(sentence: str) -> str:
    """The sentence in the language of who reads it."""
    return gettext(sentence.template) % sentence.values if isinstance(sentence, Sentence) else sentence


def problems() -> list[str]:
    """Sentences about models that are asked for and cannot work, addresses and the role; none when all is well.

    A process asks the database the first time only, and not while it is away.
    """
    role = ""
    with suppress(*AWAY):
        role = owner.rights_to_rewrite()
    return [
        *(check.msg for check in (*models_are_usable(), *embedder_is_usable(), *search_engine_is_usable())),
        *encryption.problems(available_models.addresses() | {"SEARCH_BASE_URL": settings.SEARCH_BASE_URL}),
        *filter(None, [role]),
    ]
