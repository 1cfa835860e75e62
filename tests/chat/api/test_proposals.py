"""The endpoints of proposals: what everybody of the workspace sees, and what each may do with it."""

import json
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from drf_spectacular.generators import SchemaGenerator
from jsonschema import Draft202012Validator
from pytest_django import DjangoAssertNumQueries

from chat.models import Proposal, ProposalStatus, Session, StreamEvent
from graphs.models import Graph, Membership, Node, Role, Workspace
from tests.cast import draw_nba
from tests.chat.api.callers import get, post
from tests.graphs.api.callers import problem
from tests.proposed import DELETE, MOVE, RENAME, Call, waiting

pytestmark = pytest.mark.django_db


@pytest.fixture
def proposal(alice: User, nba: Graph) -> Proposal:
    return waiting(alice, nba, RENAME)[0]


def listed(user: User, query: str = "") -> list[str]:
    response = get(user, f"proposals?{query}")
    assert response.status_code == 200, response.content
    return [each["id"] for each in response.json()["results"]]


def names(*proposals: Proposal) -> list[str]:
    return [str(each.pk) for each in proposals]


def test_everybody_of_the_workspace_sees_what_waits_the_oldest_first(
    alice: User, bob: User, charlie: User, nba: Graph
) -> None:
    first, second = waiting(alice, nba, RENAME, MOVE)
    assert listed(bob, "status=pending") == names(first, second)
    assert listed(bob) == names(second, first)
    assert listed(charlie) == []


def test_it_filters_by_status_session_and_object(
    alice: User, charlie: User, nba: Graph, other_workspace: Workspace, demo_workspace: Workspace
) -> None:
    (mine,) = waiting(alice, nba, RENAME)
    (rejected,) = waiting(alice, nba, MOVE)
    (foreign,) = waiting(charlie, draw_nba(other_workspace), RENAME)
    post(alice, f"proposals/{rejected.pk}/decide", {"approved": False})

    assert listed(alice, "status=rejected") == names(rejected)
    assert listed(alice, f"sessionId={mine.session_id}") == names(mine)
    assert listed(alice, "object=graph:nba&status=pending") == names(mine)
    for nothing in (f"sessionId={foreign.session_id}", f"sessionId={uuid.uuid4()}", "object=graph:none"):
        assert listed(alice, nothing) == []
    for wrong in (
        "status=x",
        "status=",
        "object=nba",
        "object=planet:x",
        "object=graph:%00",
        "object=:",
        "limit=0",
        "cursor=x",
    ):
        problem(get(alice, f"proposals?{wrong}"), 400, "bad_cursor" if wrong == "cursor=x" else "validation")


def test_what_nobody_decided_in_time_is_shown_as_expired(alice: User, proposal: Proposal) -> None:
    Proposal.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert listed(alice, "status=pending") == []
    assert listed(alice, "status=expired") == names(proposal)
    assert get(alice, f"proposals/{proposal.pk}").json()["status"] == "expired"


def test_a_list_takes_few_queries(
    alice: User, nba: Graph, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for proposal in waiting(alice, nba, *[RENAME] * 5):
        post(alice, f"proposals/{proposal.pk}/decide", {"approved": False})
    with django_assert_max_num_queries(5):
        assert len(listed(alice)) == 5


def test_a_decision_answers_with_what_became_of_it(alice: User, proposal: Proposal) -> None:
    answer = post(alice, f"proposals/{proposal.pk}/decide", {"approved": True, "digest": proposal.digest})
    assert answer.status_code == 200
    found = answer.json()["proposal"]
    assert (found["status"], found["decidedBy"], found["object"]) == (
        "applied",
        "alice",
        {"type": "graph", "id": "nba"},
    )
    assert Node.objects.get(key="fetch-api").name == "Fetch"

    again = problem(post(alice, f"proposals/{proposal.pk}/decide", {"approved": False}), 409, "decided")
    assert again["proposal"] == found


def test_the_ids_of_a_run_are_for_who_may_read_its_conversation(
    alice: User, nba: Graph, demo_workspace: Workspace
) -> None:
    """Another editor decides, and the model goes on in a conversation that is not there for them."""
    colleague = User.objects.create(username="colleague")
    Membership.objects.create(user=colleague, workspace=demo_workspace, role=Role.EDITOR)
    ids = {"sessionId", "userMessageId", "messageId", "runId", "streamId"}
    first, second, third = waiting(alice, nba, RENAME)[0], waiting(alice, nba, MOVE)[0], waiting(alice, nba, DELETE)[0]
    assert ids & post(alice, f"proposals/{first.pk}/decide", {"approved": False}).json().keys()
    answer = post(colleague, f"proposals/{second.pk}/decide", {"approved": False, "wait": True})
    assert (answer.status_code, answer.json().keys()) == (200, {"proposal"})
    Session.objects.filter(pk=third.session_id).update(hidden_at=timezone.now())
    assert post(alice, f"proposals/{third.pk}/decide", {"approved": False}).json().keys() <= {"proposal"}


def test_what_was_taken_back_is_told_wherever_a_proposal_is(
    alice: User, nba: Graph, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    proposals = waiting(alice, nba, RENAME, MOVE)
    for proposal in proposals:
        post(alice, f"proposals/{proposal.pk}/decide", {"approved": True})
    first = Proposal.objects.get(pk=proposals[0].pk)
    undone = post(alice, f"history/{first.change_set}/rollback", {}).json()["id"]
    assert get(alice, f"proposals/{first.pk}").json()["undoneBy"] == undone
    with django_assert_max_num_queries(5):
        found = {each["id"]: each["undoneBy"] for each in get(alice, "proposals").json()["results"]}
    assert [found[str(proposal.pk)] for proposal in proposals] == [undone, None]
    messages = get(alice, f"chat/sessions/{first.session_id}/messages").json()["results"]
    assert [each["undoneBy"] for message in messages for each in message["proposals"]] == [undone, None]
    post(alice, f"history/{undone}/rollback", {})
    assert get(alice, f"proposals/{first.pk}").json()["undoneBy"] is None


def test_a_stale_one_is_refused_with_what_changed(alice: User, nba: Graph) -> None:
    renaming, deleting = waiting(alice, nba, RENAME, DELETE)
    assert post(alice, f"proposals/{renaming.pk}/decide", {"approved": True}).status_code == 200
    refused = problem(post(alice, f"proposals/{deleting.pk}/decide", {"approved": True}), 409, "stale")
    assert [(each["field"], each["found"], each["changedBy"]) for each in refused["conflicts"]] == [
        ("name", "Fetch", "alice")
    ]
    asked = post(alice, f"proposals/{deleting.pk}/propose-again")
    assert asked.status_code == 202
    assert asked.json()["sessionId"] == str(deleting.session_id)


def test_proposing_again_is_refused_as_described_where_the_model_is_gone(alice: User, nba: Graph) -> None:
    renaming, deleting = waiting(alice, nba, RENAME, DELETE)
    for each in (renaming, deleting):
        post(alice, f"proposals/{each.pk}/decide", {"approved": True})
    Session.objects.update(model="gone:model")
    problem(post(alice, f"proposals/{deleting.pk}/propose-again"), 422, "model_unavailable")


def test_edited_arguments_that_make_a_value_too_long_are_refused(alice: User, proposal: Proposal) -> None:
    path = f"proposals/{proposal.pk}"
    Node.objects.filter(key="fetch-api").update(data={"first": "x" * 600_000})
    arguments = {"nodeKey": "fetch-api", "updates": {"data": {"second": "x" * 600_000}}}
    for door, more in (("preview", {}), ("decide", {"approved": True, "digest": "0" * 64})):
        refused = post(alice, f"{path}/{door}", {"editedArguments": arguments, **more})
        assert "would be longer than" in str(problem(refused, 400, "validation")["errors"]["editedArguments"])
    proposal.refresh_from_db()
    assert proposal.status == ProposalStatus.PENDING


def test_it_previews_and_takes_edited_arguments(alice: User, bob: User, proposal: Proposal) -> None:
    arguments = {"nodeKey": "fetch-api", "updates": {"name": "Get"}}
    path = f"proposals/{proposal.pk}"
    shown = post(alice, f"{path}/preview", {"editedArguments": arguments}).json()
    assert shown["diff"][0]["fields"][0]["new"] == "Get"
    same = post(alice, f"{path}/preview").json()
    assert same == {"diff": proposal.diff, "digest": proposal.digest}
    problem(post(bob, f"{path}/preview", {"editedArguments": arguments}), 403, "forbidden")
    problem(post(alice, f"{path}/decide", {"approved": True, "editedArguments": arguments}), 409, "digest")
    decided = post(alice, f"{path}/decide", {"approved": True, "editedArguments": arguments, "digest": shown["digest"]})
    assert decided.json()["proposal"]["decidedArguments"] == arguments
    wrong = post(alice, f"{path}/preview", {"editedArguments": {"nodeKey": "nowhere", "updates": {"name": "x"}}})
    assert "editedArguments" in problem(wrong, 400, "validation")["errors"]


def test_several_are_answered_one_by_one(alice: User, bob: User, nba: Graph) -> None:
    proposals = waiting(alice, nba, RENAME, DELETE, MOVE)
    body = {"approved": True, "sessionId": str(proposals[0].session_id)}
    problem(post(bob, "proposals/decide", body), 403, "forbidden")
    answers = post(alice, "proposals/decide", body).json()["results"]
    assert [(each["id"], each["status"], each.get("code")) for each in answers] == [
        (str(proposals[0].pk), "applied", None),
        (str(proposals[1].pk), "stale", "stale"),
        (str(proposals[2].pk), "applied", None),
    ]
    again = post(alice, "proposals/decide", {"approved": False, "ids": names(*proposals)}).json()["results"]
    assert [each["code"] for each in again] == ["decided"] * 3
    for wrong in ({"approved": True}, {**body, "ids": names(*proposals)}, {"approved": True, "ids": []}):
        problem(post(alice, "proposals/decide", wrong), 400, "validation")


@pytest.mark.parametrize(
    "body",
    [
        *({}, [], {"approved": "true"}, {"approved": 1}, {"approved": None}, {"approved": True, "status": "applied"}),
        *({"approved": True, "decidedBy": "bob"}, {"approved": True, "digest": "x" * 65}, {"approved": True, "by": 1}),
        *({"approved": True, "editedArguments": []}, {"approved": True, "feedback": "x" * 8001}),
    ],
)
def test_it_refuses_decisions_that_are_none(alice: User, proposal: Proposal, body: Any) -> None:
    problem(post(alice, f"proposals/{proposal.pk}/decide", body), 400, "validation")
    proposal.refresh_from_db()
    assert proposal.status == "pending"


@pytest.mark.parametrize("verb", ["decide", "preview", "propose-again"])
def test_a_foreign_proposal_is_an_absent_one(
    charlie: User, alice: User, other_workspace: Workspace, proposal: Proposal, verb: str
) -> None:
    body = {"approved": True} if verb == "decide" else {}
    for stranger in (charlie, alice):
        headers = {} if stranger == charlie else {"X_Workspace": "other"}
        foreign = post(stranger, f"proposals/{proposal.pk}/{verb}", body, **headers)
        absent = post(stranger, f"proposals/{uuid.uuid4()}/{verb}", body, **headers)
        assert problem(foreign, 404, "not_found") == problem(absent, 404, "not_found")
    proposal.refresh_from_db()
    assert proposal.status == "pending"


def test_the_workspace_that_is_named_has_to_be_that_of_the_proposal(
    alice: User, other_workspace: Workspace, proposal: Proposal
) -> None:
    Membership.objects.create(user=alice, workspace=other_workspace, role=Role.EDITOR)
    path = f"proposals/{proposal.pk}"
    problem(post(alice, f"{path}/decide", {"approved": True}, X_Workspace="other"), 404, "not_found")
    problem(get(alice, path, X_Workspace="other"), 404, "not_found")
    body = {"approved": True, "ids": names(proposal)}
    problem(post(alice, "proposals/decide", body, X_Workspace="other"), 404, "not_found")
    assert post(alice, f"{path}/decide", {"approved": True}, X_Workspace="demo").status_code == 200


def test_messages_show_their_proposals_after_a_reload(alice: User, proposal: Proposal) -> None:
    post(alice, f"proposals/{proposal.pk}/decide", {"approved": False, "feedback": "No."})
    messages = get(alice, f"chat/sessions/{proposal.session_id}/messages").json()["results"]
    answer = next(each for each in messages if each["id"] == str(proposal.message_id))
    assert [(each["id"], each["status"], each["feedback"]) for each in answer["proposals"]] == [
        (str(proposal.pk), "rejected", "No.")
    ]


def test_answers_have_the_shapes_that_are_described(alice: User, nba: Graph) -> None:
    document = SchemaGenerator().get_schema(request=None, public=True)
    first, second, third = waiting(alice, nba, RENAME, DELETE, MOVE)

    def check(path: str, method: str, answer: Any) -> None:
        schema = document["paths"][f"/api/v1/{path}"][method]["responses"][str(answer.status_code)]
        described = schema["content"]["application/json"]["schema"] | {"components": document["components"]}
        Draft202012Validator(described).validate(answer.json())

    check("proposals", "get", get(alice, "proposals"))
    one = "proposals/{proposal_id}"
    check(f"{one}/preview", "post", post(alice, f"proposals/{first.pk}/preview"))
    check(f"{one}/decide", "post", post(alice, f"proposals/{first.pk}/decide", {"approved": True}))
    check("proposals/decide", "post", post(alice, "proposals/decide", {"approved": True, "ids": names(second, third)}))
    check(one, "get", get(alice, f"proposals/{second.pk}"))
    check(f"{one}/propose-again", "post", post(alice, f"proposals/{second.pk}/propose-again"))


def test_it_counts_what_waits(alice: User, bob: User, charlie: User, nba: Graph) -> None:
    stream = f"workspace_{nba.workspace_id}"
    assert get(bob, "proposals/waiting").json() == {"count": 0, "more": False, "streamId": stream}
    waiting(alice, nba, RENAME, MOVE)
    assert get(bob, "proposals/waiting").json()["count"] == 2
    assert get(charlie, "proposals/waiting").json()["count"] == 0
    assert get(charlie, "proposals/waiting?workspace=demo").status_code == 404


def test_what_is_more_than_anybody_counts_is_not_counted(
    alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chat.queries.proposals.MOST_COUNTED", 1)
    waiting(alice, nba, RENAME, MOVE)
    told = get(alice, "proposals/waiting").json()
    assert (told["count"], told["more"]) == (1, True)


LONG = "\n".join(f"line {number} of a long text" for number in range(10_000))
LARGE: Call = ("update_node", {"nodeKey": "fetch-api", "updates": {"process": LONG}})
#: What one proposal may be long beside others.
FEW_KB = 12_000


def test_a_large_one_is_whole_only_where_it_is_asked_for_by_its_id(alice: User, nba: Graph) -> None:
    (large,) = waiting(alice, nba, LARGE)
    (listed_one,) = get(alice, "proposals").json()["results"]
    (in_answer,) = get(alice, f"chat/sessions/{large.session_id}/messages").json()["results"][-1]["proposals"]
    whole = get(alice, f"proposals/{large.pk}").json()

    assert listed_one == in_answer
    assert len(json.dumps(listed_one)) < FEW_KB < len(LONG) < len(json.dumps(whole))
    assert (listed_one["cut"], whole["cut"]) == (["arguments", "diff"], [])
    assert (listed_one["arguments"], whole["arguments"]["updates"]["process"]) == ({}, LONG)
    assert listed_one["counts"] == whole["counts"] == {"node": {"update": 1}}
    (field,) = listed_one["diff"][0]["fields"]
    assert field["cut"]
    assert field["added"] == 10_000
    assert whole["diff"][0]["fields"][0]["new"] == LONG


def test_no_event_and_no_answer_carries_a_large_one(alice: User, nba: Graph) -> None:
    first, second = waiting(alice, nba, LARGE, ("update_node", {"nodeKey": "return", "updates": {"process": LONG}}))
    stale, *_ = waiting(alice, nba, LARGE)
    decided = [
        post(alice, f"proposals/{first.pk}/decide", {"approved": True}),
        post(alice, f"proposals/{stale.pk}/decide", {"approved": True}),
        post(alice, "proposals/decide", {"ids": [str(second.pk)], "approved": True}),
    ]
    assert [response.status_code for response in decided] == [200, 409, 200]
    assert decided[1].json()["conflicts"][0]["field"] == "process"
    assert max(len(response.content) for response in decided) < 3 * FEW_KB
    told = StreamEvent.objects.filter(type__in=["proposal", "decision"])
    assert told.filter(data__has_key="conflicts").exists()
    assert max(len(json.dumps(data)) for data in told.values_list("data", flat=True)) < FEW_KB


def test_a_list_reads_nothing_large(alice: User, nba: Graph) -> None:
    waiting(alice, nba, LARGE, MOVE)
    with CaptureQueriesContext(connection) as queries:
        assert len(listed(alice)) == 2
    (asked,) = [each["sql"] for each in queries if '"chat_proposal"."digest"' in each["sql"]]
    assert not [name for name in Proposal.LARGE if f'"chat_proposal"."{name}"' in asked]
    about = [each["sql"] for each in queries if 'FROM "chat_proposal"' in each["sql"]]
    assert len(about) == 1, "what was left out is not fetched afterwards"
