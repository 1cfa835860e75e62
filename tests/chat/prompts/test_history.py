import pytest
from django.contrib.auth.models import User

from chat.models import Message, Session
from chat.prompts import history
from graphs.models import Graph
from graphs.site.access import member_of
from tests.chat.admin.talk import talk

pytestmark = pytest.mark.django_db


@pytest.fixture
def session(alice: User, nba: Graph) -> Session:
    return talk(alice, nba.workspace).session


def test_who_comes_late_does_not_bring_old_records_back(session: Session, alice: User, nba: Graph) -> None:
    """A process that slept read the messages before level 2 was there, and writes it after a summary was made."""
    history.system_levels(session.pk, nba, member_of(alice), [], flagged=False)
    Message.objects.filter(session=session, sequence=0).update(records="Later records")
    assert history.system_levels(session.pk, nba, member_of(alice), [], flagged=False)[1] == "Later records"
    assert Message.objects.get(session=session, sequence=0).records == "Later records"
