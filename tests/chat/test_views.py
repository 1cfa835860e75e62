"""chat/views.py: the page of what waits, and the link to it."""

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from chat.models import Proposal, ProposalStatus
from graphs.models import Graph
from graphs.objects.headers import header_of
from graphs.objects.kinds import KINDS
from tests.cast import signed_in
from tests.proposed import waiting
from tests.registered import product, shops
from tests.shop.models import Shop

RENAMED = ("update_node", {"nodeKey": "fetch-api", "updates": {"name": "Fetch games"}})


@pytest.fixture
def proposal(alice: User, nba: Graph) -> Proposal:
    return waiting(alice, nba, RENAMED)[0]


def page(user: User, query: str = "") -> str:
    answer = signed_in(user).get(f"/inbox/{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def listed(text: str) -> list[dict[str, Any]]:
    found = re.search(r'<script id="inbox-data" type="application/json">(.*?)</script>', text)
    assert found
    return json.loads(found[1])


def test_the_whole_workspace_sees_what_waits(alice: User, bob: User, proposal: Proposal) -> None:
    for user in (alice, bob):
        (shown,) = listed(page(user))
        assert (shown["id"], shown["owner"], shown["object"]["id"]) == (str(proposal.pk), "alice", "nba")
    assert ' user-name="alice" may-edit' in page(alice)
    assert " may-edit" not in page(bob)


def test_strangers_see_nothing_of_it(charlie: User, proposal: Proposal) -> None:
    assert listed(page(charlie)) == []
    assert signed_in(charlie).get("/inbox/?workspace=demo").status_code == 404


@pytest.mark.parametrize("decided", [status for status in ProposalStatus if status != ProposalStatus.PENDING])
def test_what_is_decided_is_gone(alice: User, proposal: Proposal, decided: ProposalStatus) -> None:
    Proposal.objects.update(status=decided)
    assert listed(page(alice)) == []


def test_what_is_expired_is_gone(alice: User, proposal: Proposal) -> None:
    Proposal.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert listed(page(alice)) == []
    assert 'class="count"' not in page(alice)


def test_it_filters_by_object_and_person(alice: User, proposal: Proposal) -> None:
    assert listed(page(alice, "?object=graph:nba&person=alice"))
    assert not listed(page(alice, "?object=graph:other"))
    assert not listed(page(alice, "?person=bob"))
    assert "fits these filters" in page(alice, "?person=bob")
    assert "fits these filters" not in page(alice)
    assert listed(page(alice, "?person=%00&object=%00"))


def test_objects_of_every_kind_are_offered_found_and_led_to(alice: User, nba: Graph) -> None:
    with shops(url=lambda row: f"/products/{row.pk}/?tab=x"):
        umbrella = product(Shop.objects.create(workspace=nba.workspace, name="Spring"), "Umbrella")
        name = f"product:{umbrella.pk}"
        (mine,) = waiting(
            alice, header_of(KINDS["product"], nba.workspace_id, umbrella), ("delete_object", {"object": name})
        )
        waiting(alice, nba, RENAMED)
        assert f'<option value="{name}">Umbrella</option>' in page(alice)
        assert 'value="graph:nba"' in page(alice)
        found = page(alice, f"?object={name}")
    (shown,) = listed(found)
    assert (shown["id"], shown["objectTitle"]) == (str(mine.pk), "Umbrella")
    assert shown["address"] == f"/products/{umbrella.pk}/?tab=x&proposal={mine.pk}&workspace=demo"
    assert f'<option value="{name}" selected>' in found


def test_an_object_without_a_page_is_named_without_a_link(alice: User, nba: Graph) -> None:
    with shops():
        umbrella = product(Shop.objects.create(workspace=nba.workspace, name="Spring"), "Umbrella")
        header = header_of(KINDS["product"], nba.workspace_id, umbrella)
        waiting(alice, header, ("delete_object", {"object": f"product:{umbrella.pk}"}))
        (shown,) = listed(page(alice))
    assert (shown["objectTitle"], shown["address"]) == ("Umbrella", "")


def test_what_names_no_object_leads_back_to_all(alice: User) -> None:
    assert signed_in(alice).get("/inbox/?object=nba").status_code == 302


def test_the_oldest_is_first_and_pages_lead_on(alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.views.PROPOSALS_PER_PAGE", 2)
    made = [str(waiting(alice, nba, RENAMED)[0].pk) for _ in range(3)]
    first = page(alice)
    assert [each["id"] for each in listed(first)] == made[:2]
    found = re.search(r'rel="next" href="(.*?)"', first)
    assert found
    assert [each["id"] for each in listed(page(alice, found[1]))] == made[2:]
    assert signed_in(alice).get("/inbox/?cursor=nonsense").status_code == 302


def test_a_reason_cannot_break_out_of_the_page(alice: User, proposal: Proposal) -> None:
    Proposal.objects.update(reason="</script><script>alert(1)</script>")
    assert "<script>alert(1)" not in page(alice)


def test_every_page_counts_what_waits(alice: User, charlie: User, proposal: Proposal) -> None:
    assert re.search(r'class="count">1<', signed_in(alice).get("/").content.decode())
    assert 'class="count"' not in signed_in(charlie).get("/").content.decode()


def test_it_takes_few_queries(alice: User, nba: Graph, django_assert_max_num_queries: Any) -> None:
    for _ in range(5):
        waiting(alice, nba, RENAMED)
    client = signed_in(alice)
    with django_assert_max_num_queries(12):
        assert client.get("/inbox/").status_code == 200
