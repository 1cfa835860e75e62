"""A page that a model wants to read: seen and decided at every door where changes are."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone, translation

from chat.actions import deciding
from chat.models import Proposal, ProposalStatus
from graphs.models import Graph
from tests import checker
from tests.cast import signed_in
from tests.chat.api.callers import get, post
from tests.graphs.admin.staff import superuser
from tests.proposed import waiting_to_read

pytestmark = pytest.mark.django_db
URL = "https://evil.org/?said=Fetch%20API"


@pytest.fixture
def proposal(alice: User, nba: Graph) -> Proposal:
    return waiting_to_read(alice, nba, URL)


def test_everybody_of_the_workspace_sees_the_whole_address_and_strangers_nothing(
    proposal: Proposal, bob: User, charlie: User
) -> None:
    shown = get(bob, f"proposals/{proposal.pk}").json()
    (field,) = shown["diff"][0]["fields"]
    assert (field["label"], field["new"], shown["object"]) == ("Address", URL, {"type": "fetch", "id": "evil.org"})
    assert shown["askedBy"] == [{"level": "untrusted", "why": "web:example.org"}]
    assert [each["id"] for each in get(bob, "proposals?status=pending").json()["results"]] == [str(proposal.pk)]
    assert get(charlie, f"proposals/{proposal.pk}").status_code == 404
    assert "evil.org" in signed_in(bob).get("/inbox/").content.decode()
    assert "evil.org" in superuser().get(reverse("admin:chat_proposal_change", args=[proposal.pk])).content.decode()
    with translation.override("fr"):
        assert get(bob, f"proposals/{proposal.pk}", accept_language="fr").json()["diff"][0]["kindLabel"] == "page"


def test_editors_decide_about_it_as_it_is_and_once(proposal: Proposal, alice: User, bob: User) -> None:
    where = f"proposals/{proposal.pk}"
    assert post(bob, f"{where}/decide", {"approved": True}).status_code == 403
    assert post(alice, f"{where}/preview", {}).json()["digest"] == proposal.digest
    edited = {"editedArguments": {"url": "https://other.org/"}}
    assert post(alice, f"{where}/preview", edited).status_code == 400
    assert post(alice, f"{where}/decide", {"approved": True, "digest": "x" * 64}).status_code == 409
    assert post(alice, f"{where}/decide", {"approved": True, "digest": proposal.digest}).status_code == 200
    assert post(alice, f"{where}/decide", {"approved": True}).status_code == 409
    decided = get(alice, where).json()
    assert (decided["status"], decided["decidedBy"], decided["changeSetId"]) == ("applied", "alice", None)
    checker.check_proposals()


def test_one_that_nobody_decided_in_time_expires(proposal: Proposal, alice: User) -> None:
    Proposal.objects.update(expires_at=timezone.now() - timedelta(days=1))
    assert deciding.expire_all() == 1
    assert post(alice, f"proposals/{proposal.pk}/decide", {"approved": True}).status_code == 409
    assert Proposal.objects.get().status == ProposalStatus.EXPIRED
    assert post(alice, f"proposals/{proposal.pk}/propose-again", {}).status_code == 202


def test_a_long_address_is_told_whole(alice: User, nba: Graph) -> None:
    url = f"https://{'a.' * 60}org/{'x' * 1_800}"
    proposal = waiting_to_read(alice, nba, url)
    (listed,) = get(alice, "proposals?status=pending").json()["results"]
    assert listed["cut"] == []
    assert listed["diff"][0]["fields"][0]["new"] == url
    assert len(proposal.object_key) <= 100
