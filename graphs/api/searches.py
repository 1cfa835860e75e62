"""What requests search for."""

from django.utils.translation import gettext as _
from rest_framework.request import Request

from graphs.objects.word_search import MOST_WORDS, words_of
from graphs.site.api.problems import invalid

LONGEST_SEARCH = 200


def asked_text(request: Request, name: str) -> str:
    """The text of a parameter, so much of it as is looked for."""
    return request.GET.get(name, "")[:LONGEST_SEARCH].replace("\x00", "")


def asked_words(request: Request, name: str) -> list[str]:
    """The words of a parameter, each once. Raises `Problem` 400 for more than are looked for."""
    words = words_of(asked_text(request, name))
    if len(words) > MOST_WORDS:
        sentence = _("At most %(most)s words are looked for at once, and these are %(count)s.")
        raise invalid(name, sentence % {"most": MOST_WORDS, "count": len(words)})
    return words
