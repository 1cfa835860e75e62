import uuid
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from chat.models import Proposal, ProposalStatus
from graphs.models import Graph, Node, Workspace
from tests.cast import draw_nba
from tests.graphs.admin.staff import auditor, mere_staff, superuser
from tests.proposed import RENAME, waiting

pytestmark = pytest.mark.django_db
LIST = "admin:chat_proposal_changelist"


@pytest.fixture
def own(alice: User, nba: Graph) -> Proposal:
    return waiting(alice, nba, RENAME, reason="A clearer name")[0]


@pytest.fixture
def foreign(charlie: User, other_workspace: Workspace) -> Proposal:
    return waiting(charlie, draw_nba(other_workspace), RENAME, reason="Secret reason")[0]


def address(proposal: Proposal) -> str:
    return reverse("admin:chat_proposal_change", args=[proposal.pk])


def listed(client: Client, **query: object) -> str:
    response = client.get(reverse(LIST), query)
    assert response.status_code == 200
    return response.content.decode()


def opened(client: Client, proposal: Proposal) -> str:
    response = client.get(address(proposal))
    assert response.status_code == 200
    return response.content.decode()


def test_an_auditor_sees_what_was_proposed_in_their_workspace(own: Proposal, foreign: Proposal) -> None:
    client = auditor(own.workspace)
    assert "1 proposal" in listed(client)
    text = opened(client, own)
    for shown in (
        "A clearer name",
        "Fetch<del> API</del>",
        "No allowance covers it (node.name).",
        "pending",
    ):
        assert shown in text, shown
    for text in (listed(client), listed(client, q="Secret"), listed(client, session=str(foreign.session_id))):
        assert "Secret reason" not in text
        assert str(foreign.pk) not in text


def test_a_foreign_proposal_is_absent(own: Proposal, foreign: Proposal) -> None:
    client = auditor(own.workspace)
    for each in (foreign, Proposal(pk=uuid.uuid4())):
        assert client.get(address(each)).status_code == 404
    assert mere_staff(own.workspace).get(address(own)).status_code == 404


def test_it_leads_to_all_it_belongs_to(own: Proposal, nba: Graph) -> None:
    change_set = uuid.uuid4()
    Proposal.objects.update(status=ProposalStatus.APPLIED, change_set=change_set)
    text = opened(superuser(), own)
    for view, id_ in (("graphs_changeset", change_set), ("graphs_object", nba.pk), ("chat_session", own.session_id)):
        assert reverse(f"admin:{view}_change", args=[id_]) in text
    assert f"?message={own.message_id}#message-{own.message_id}" in text


def test_filters_choose(own: Proposal, foreign: Proposal, alice: User) -> None:
    Proposal.objects.filter(pk=own.pk).update(status=ProposalStatus.REJECTED, decided_by=alice, feedback="Not so")
    client = superuser()
    for query in ({"status": "rejected"}, {"by": "ALICE"}, {"session": str(own.session_id)}, {"q": str(own.pk)}):
        text = listed(client, **query)
        assert "1 proposal" in text, query
        assert str(own.pk) in text
    for query in ({"status": "absent"}, {"by": "nobody"}, {"session": "nonsense"}):
        assert "0 proposals" in listed(client, **query), query


def test_one_that_nobody_decided_in_time_says_so(own: Proposal) -> None:
    Proposal.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert "not decided in time" in opened(superuser(), own)


def test_no_post_decides_anything(own: Proposal) -> None:
    client = superuser()
    decision = {"status": "applied", "approved": "true", "decided_by": "1", "_save": "Save", "digest": own.digest}
    assert client.post(address(own), decision).status_code == 403
    assert client.post(reverse("admin:chat_proposal_add"), decision).status_code == 403
    assert client.post(reverse("admin:chat_proposal_delete", args=[own.pk]), {"post": "yes"}).status_code == 403
    client.post(reverse(LIST), {"action": "delete_selected", "_selected_action": [str(own.pk)], "post": "yes"})
    own.refresh_from_db()
    assert own.status == ProposalStatus.PENDING
    assert Node.objects.get(key="fetch-api").name == "Fetch API"


def test_markup_stays_text(own: Proposal) -> None:
    evil = "<script>alert(1)</script>"
    call = {"level": evil, "why": evil}
    Proposal.objects.update(reason=evil, feedback=evil, asked_by=[call], arguments={evil: evil}, object_key=evil)
    client = superuser()
    for text in (opened(client, own), listed(client)):
        assert "<script>alert" not in text
        assert "&lt;script&gt;alert" in text


def test_the_list_needs_as_many_queries_for_many_rows(
    own: Proposal, nba: Graph, alice: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client = auditor(own.workspace)
    for _ in range(10):
        waiting(alice, nba, RENAME)
    with django_assert_max_num_queries(9):
        assert "11 proposals" in listed(client)
