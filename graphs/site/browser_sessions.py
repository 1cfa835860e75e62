"""The sessions of browsers, in the table where Django keeps them. Every request of a page asks for one."""

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from graphs.site import row_store

#: Written out: the ORM composes it in several times the time of the answer.
_OPEN = f"""
SELECT {row_store.columns(Session)} FROM django_session WHERE session_key = %s AND expire_date > %s
"""  # noqa: S608 - what is inserted are names of columns


class SessionStore(db.SessionStore):
    """One session. Called as Django's, whose name is a part of what signs the contents."""

    def _get_session_from_db(self) -> Session | None:
        if found := row_store.read(Session, _OPEN, [self.session_key, timezone.now()]):
            return found[0][0]
        self._session_key = None
        return None
