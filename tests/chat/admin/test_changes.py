"""The ways between a conversation and what was changed because of it."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from chat.actions.deciding import Decision, decide, preview
from chat.models import Proposal
from graphs.models import Graph
from graphs.site.access import member_of
from tests.graphs.admin.changing import update
from tests.graphs.admin.staff import superuser
from tests.proposed import RENAME, waiting

pytestmark = pytest.mark.django_db


@pytest.fixture
def applied(alice: User, nba: Graph) -> Proposal:
    (proposal,) = waiting(alice, nba, RENAME)
    decide(member_of(alice), str(proposal.pk), Decision(approved=True))
    proposal.refresh_from_db()
    return proposal


def page(view: str, *ids: object) -> str:
    response = superuser().get(reverse(f"admin:{view}", args=ids))
    assert response.status_code == 200
    User.objects.filter(username="root").delete()
    return response.content.decode()


def test_a_change_leads_to_its_proposal_message_and_conversation(applied: Proposal) -> None:
    session = reverse("admin:chat_session_change", args=[applied.session_id])
    text = page("graphs_changeset_change", applied.change_set)
    assert f'href="{session}?message={applied.message_id}#message-{applied.message_id}"' in text
    assert f'href="{session}"' in text
    assert reverse("admin:chat_proposal_change", args=[applied.pk]) in text
    assert f"{session}?message={applied.message_id}#message-{applied.message_id}" in page("graphs_changeset_changelist")


def test_a_message_leads_to_what_it_proposed_and_what_came_of_it(applied: Proposal) -> None:
    text = page("chat_session_change", applied.session_id)
    assert reverse("admin:chat_proposal_change", args=[applied.pk]) in text
    assert reverse("admin:graphs_changeset_change", args=[applied.change_set]) in text
    assert reverse("admin:chat_session_replay", args=[applied.session_id]) + "?at=" in text
    for view in ("graphs_changeset", "chat_proposal"):
        assert f"{reverse(f'admin:{view}_changelist')}?session={applied.session_id}" in text


def test_a_cause_that_nobody_can_explain_is_left_out(alice: User, nba: Graph) -> None:
    done = update(nba, alice, because={"cause": "test:1", "causes": ("test:1", "message:2", "nonsense")}, name="x")
    assert "test:1" not in page("graphs_changeset_change", done.pk)


def test_the_page_of_a_change_says_that_its_proposal_was_edited(alice: User, nba: Graph, applied: Proposal) -> None:
    (proposal,) = waiting(alice, nba, ("update_node", {"nodeKey": "root", "updates": {"name": "Begin"}}))
    member, arguments = member_of(alice), {"nodeKey": "root", "updates": {"name": "Enter"}}
    digest = preview(member, str(proposal.pk), arguments).digest
    edited = decide(member, str(proposal.pk), Decision(True, edited_arguments=arguments, digest=digest)).proposal
    said = "Edited by alice before it was applied"
    assert said in page("graphs_changeset_change", edited.change_set)
    assert said not in page("graphs_changeset_change", applied.change_set)
