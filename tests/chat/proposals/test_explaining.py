import uuid

import pytest
from django.contrib.auth.models import User

from chat.actions import deciding
from chat.models import Message, Proposal
from chat.proposals import explaining  # noqa: F401
from graphs.history import causes
from graphs.models import Graph
from graphs.site.access import member_of
from tests.chat.admin.talk import Talk, talk
from tests.proposed import RENAME, waiting


@pytest.fixture
def alices(alice: User) -> Talk:
    return talk(alice, alice.memberships.get().workspace, "My secret plan")


def explained(user: User, found: Talk) -> dict[str, causes.Explanation]:
    message = Message.objects.get(session=found.session, role="assistant")
    wanted = [
        f"message:{message.pk}",
        f"session:{found.session.pk}",
        f"message:{uuid.uuid4()}",
        "message:1",
        "change-set:1",
    ]
    return causes.explain(member_of(user), wanted)


def test_its_owner_is_led_to_the_very_message(alice: User, alices: Talk) -> None:
    message, session = explained(alice, alices).values()

    assert message.text == session.text == "My secret plan"
    assert session.url == f"/graphs/nba/?session={alices.session.pk}"
    assert message.url.startswith(f"{session.url}&message=")
    assert message.details
    assert (message.details["mine"], message.details["owner"]) == (True, "alice")


def test_others_learn_whose_it_is_and_no_more(bob: User, alices: Talk) -> None:
    for explanation in explained(bob, alices).values():
        assert explanation.text == "A conversation of alice"
        assert explanation.url == ""
        assert "secret" not in str(explanation)


def test_what_its_owner_deleted_is_not_led_to(alice: User, alices: Talk) -> None:
    alices.session.hidden_at = alices.session.created_at
    alices.session.save()

    assert {explanation.url for explanation in explained(alice, alices).values()} == {""}


def test_strangers_learn_nothing(charlie: User, alices: Talk) -> None:
    assert explained(charlie, alices) == {}


def approved_as_edited(user: User, nba: Graph, edited: dict[str, object] | None) -> Proposal:
    (proposal,) = waiting(user, nba, RENAME)
    digest = deciding.preview(member_of(user), str(proposal.pk), edited).digest
    decision = deciding.Decision(approved=True, edited_arguments=edited, digest=digest)
    deciding.decide(member_of(user), str(proposal.pk), decision)
    return proposal


def test_a_change_that_a_person_edited_says_so(alice: User, bob: User, charlie: User, nba: Graph) -> None:
    edited = approved_as_edited(alice, nba, {"nodeKey": "fetch-api", "updates": {"name": "Get"}})
    plain = approved_as_edited(alice, nba, None)
    asked = [f"proposal:{edited.pk}", f"proposal:{plain.pk}", "proposal:1"]
    details = {"proposalId": str(edited.pk), "edited": True, "editedBy": "alice"}
    said = {asked[0]: causes.Explanation("Edited by alice before it was applied", details=details)}
    assert causes.explain(member_of(alice), asked) == causes.explain(member_of(bob), asked) == said
    assert causes.explain(member_of(charlie), asked) == {}
