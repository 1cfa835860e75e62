"""Words that are guessed first at this site: its name and addresses, and the names of the person's workspaces."""

import ipaddress

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from graphs.models import Workspace

#: Without those words a password has as many characters as one has to have at least.
LEAST = 8
#: Shorter ones stand in too many others.
_SHORTEST_WORD = 4
_OWN = "countersign"


class SiteWordsValidator:
    """Refuses a password that is little more than such words."""

    def validate(self, password: str, user: User | None = None) -> None:
        left = password.casefold()
        for word in sorted(_words(user), key=len, reverse=True):
            left = left.replace(word, "")
        if len(left) < LEAST <= len(password):
            raise ValidationError(self.get_help_text(), code="password_of_site_words")

    def get_help_text(self) -> str:
        return _("Your password needs %(least)s characters besides the names of this site and of your workspaces.") % {
            "least": LEAST
        }


def _words(user: User | None) -> set[str]:
    """In small letters; names of several words as they are and in one. Of workspaces only the person's own.

    What others are called is not told by what is refused.
    """
    hosts = [host.strip(".[]*") for host in settings.ALLOWED_HOSTS]
    parts = {part for host in hosts if not _is_address(host) for part in host.split(".")}
    own = Workspace.objects.filter(memberships__user=user.pk) if user and user.pk else Workspace.objects.none()
    names = {name for row in own.values_list("name", "slug") for name in row}
    joined = {"".join(filter(str.isalnum, name)) for name in names}
    return {word.casefold() for word in {_OWN, *parts, *names, *joined} if len(word) >= _SHORTEST_WORD}


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
