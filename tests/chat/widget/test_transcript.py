"""chat/static/chat/widget/transcript.js: stored messages and events give the same list."""

from typing import Any

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.browser

FOLD = """async ({ page, steps }) => {
  const transcript = await import("/static/chat/widget/transcript.js");
  let state = page ? transcript.fromPage(page) : transcript.emptyTranscript();
  for (const [name, ...args] of steps) state = transcript[name](state, ...args);
  return { ...state, running: transcript.isRunning(state) };
}"""


def event(sequence: int, type_: str, message: str = "a", run: str = "r", **data: Any) -> list[Any]:
    return ["fold", {"type": f"ai:{type_}", "sequence": sequence, "messageId": message, "runId": run, **data}]


def folded(page: Page, *steps: list[Any], stored: dict[str, Any] | None = None) -> dict[str, Any]:
    return page.evaluate(FOLD, {"page": stored, "steps": list(steps)})


def stored(*messages: dict[str, Any], after: int = 0) -> dict[str, Any]:
    return {"results": list(messages), "after": after, "previous": None}


ANSWER = [
    event(1, "user_message", "u", content="Why?"),
    event(2, "status", state="queued"),
    event(3, "status", state="started"),
    event(4, "reasoning", token="Let me"),
    event(5, "reasoning", token=" see."),
    event(6, "tool_start", toolCallId="t", toolName="search_nodes", args={"query": "x"}),
    event(7, "tool_result", toolCallId="t", result={"found": 1}),
    event(8, "token", token="Because"),
    event(9, "token", token=" of x."),
    event(10, "usage", promptTokens=3, completionTokens=4, cachedTokens=0, cost=0.1),
    event(11, "complete", fullText="Because of x.", reason="finished"),
    event(12, "status", state="succeeded"),
]


def test_it_folds_a_whole_answer(blank: Page) -> None:
    state = folded(blank, *ANSWER)
    question, answer = state["messages"]
    assert (question["role"], question["content"], question["status"]) == ("user", "Why?", "complete")
    assert (answer["content"], answer["reasoning"], answer["status"]) == ("Because of x.", "Let me see.", "complete")
    assert [(call["name"], call["status"], call["result"]) for call in answer["toolCalls"]] == [
        ("search_nodes", "ok", {"found": 1})
    ]
    assert (state["last"], state["running"]) == (12, False)


def test_it_drops_repeats(blank: Page) -> None:
    doubled = [step for step in ANSWER for _ in range(2)]
    once, twice = folded(blank, *ANSWER), folded(blank, *doubled, *ANSWER)
    for state in (once, twice):
        state["messages"][0].pop("createdAt")
    assert once == twice


def test_it_replays_an_answer_that_was_listed_as_being_written(blank: Page) -> None:
    page = stored(
        {"id": "u", "role": "user", "status": "complete", "content": "Why?"},
        {"id": "a", "role": "assistant", "status": "streaming", "content": "", "runId": "r"},
        after=1,
    )
    state = folded(blank, *ANSWER[1:9], stored=page)
    assert [message["content"] for message in state["messages"]] == ["Why?", "Because of x."]
    assert state["running"]


def test_it_keeps_a_finished_answer_when_its_events_come_again(blank: Page) -> None:
    page = stored({"id": "a", "role": "assistant", "status": "complete", "content": "Done.", "runId": "r"})
    state = folded(
        blank, *[event(at, step[1]["type"][3:], **_data(step)) for at, step in enumerate(ANSWER[2:9], 1)], stored=page
    )
    assert [message["content"] for message in state["messages"]] == ["Done."]


def _data(step: list[Any]) -> dict[str, Any]:
    return {key: value for key, value in step[1].items() if key not in {"type", "sequence", "messageId", "runId"}}


@pytest.mark.parametrize("accepted_first", [True, False])
def test_it_joins_the_message_shown_at_once_with_the_stored_one(blank: Page, accepted_first: bool) -> None:
    unsent = ["withUnsent", {"localId": "local-1", "text": "Why?", "createdAt": None}]
    accepted = ["withAccepted", "local-1", {"userMessageId": "u", "messageId": "a", "runId": "r"}]
    known = event(1, "user_message", "u", content="Why?")
    steps = [accepted, known] if accepted_first else [known, accepted]
    state = folded(blank, unsent, *steps)
    assert [(message["id"], message["status"]) for message in state["messages"]] == [("u", "complete"), ("a", "queued")]


def test_it_leaves_a_message_that_a_reload_made_unknown_to_its_events(blank: Page) -> None:
    accepted = ["withAccepted", "local-1", {"userMessageId": "u", "messageId": "a", "runId": "r"}]
    known = event(1, "user_message", "u", content="Why?")
    started = event(2, "status", state="started")
    state = folded(blank, accepted, known, started)
    assert [message["id"] for message in state["messages"]] == ["u", "a"]


def test_it_takes_an_unsent_message_away_again(blank: Page) -> None:
    unsent = ["withUnsent", {"localId": "local-1", "text": "Why?", "createdAt": None}]
    assert folded(blank, unsent, ["withoutUnsent", "local-1"])["messages"] == []


def test_it_notices_a_gap(blank: Page) -> None:
    assert blank.evaluate("""async () => {
      const { hasGap } = await import("/static/chat/widget/transcript.js");
      return [5, 6, 7].map((sequence) => hasGap({ last: 5 }, { sequence }));
    }""") == [False, False, True]


def test_it_begins_again_with_a_new_run_of_the_same_answer(blank: Page) -> None:
    state = folded(
        blank,
        event(1, "status", state="started"),
        event(2, "token", token="Half"),
        event(3, "error", error="Busy.", code="rate_limit", retryable=True),
        event(4, "status", run="r2", state="queued"),
        event(5, "status", run="r2", state="started"),
        event(6, "token", run="r2", token="Whole"),
    )
    (answer,) = state["messages"]
    assert (answer["content"], answer["status"], answer["error"]) == ("Whole", "streaming", None)


def test_it_keeps_what_was_written_when_the_run_fails(blank: Page) -> None:
    failed = event(3, "error", error="Too busy.", code="rate_limit", retryable=True)
    state = folded(blank, event(1, "status", state="started"), event(2, "token", token="Half"), failed)
    (answer,) = state["messages"]
    assert answer["content"] == "Half"
    assert answer["error"] == {"code": "rate_limit", "message": "Too busy.", "retryable": True, "corrections": []}


def test_it_says_when_the_model_is_tried_again(blank: Page) -> None:
    retrying = event(2, "status", state="retrying", attempt=2, delayS=5, code="rate_limit")
    state = folded(blank, event(1, "status", state="started"), retrying)
    assert state["messages"][0]["notice"] == {"attempt": 2, "delayS": 5, "code": "rate_limit"}
    state = folded(blank, event(1, "status", state="started"), retrying, event(3, "token", token="x"))
    assert state["messages"][0]["notice"] is None


def test_it_marks_calls_without_a_result_when_the_run_ends(blank: Page) -> None:
    stopped = event(7, "complete", fullText="", reason="stopped")
    state = folded(blank, event(5, "status", state="started"), ANSWER[5], stopped)
    (answer,) = state["messages"]
    assert (answer["status"], answer["toolCalls"][0]["status"]) == ("stopped", "stopped")


def test_it_shows_after_a_reload_what_waits_without_details(blank: Page) -> None:
    page = stored({"id": "a", "role": "assistant", "status": "complete", "content": "So far."})
    state = folded(blank, ["withWaiting", {"kind": "question", "id": "q"}], stored=page)
    ask = state["messages"][0]["ask"]
    assert (ask["kind"], ask["questionId"], ask["options"]) == ("question", "q", [])
    state = folded(blank, ["withWaiting", {"kind": "validation", "id": "p"}], stored=page)
    assert state["messages"][0]["ask"] is None


@pytest.mark.parametrize(
    "waiting",
    [
        {"kind": "tool_limit", "roundsUsed": 5, "maxExtended": 10},
        {"type": "toolLimit", "roundsUsed": 5, "maxExtended": 10},
    ],
)
def test_it_shows_after_a_reload_what_waits(blank: Page, waiting: dict[str, Any]) -> None:
    page = stored({"id": "a", "role": "assistant", "status": "complete", "content": "So far."})
    state = folded(blank, ["withWaiting", waiting], stored=page)
    assert state["messages"][0]["ask"] == {"kind": "toolLimit", "roundsUsed": 5, "maxExtended": 10}


def test_it_adds_up_what_the_calls_of_an_answer_used(blank: Page) -> None:
    used = {"promptTokens": 10, "completionTokens": 2, "cachedTokens": 5, "cost": 0.25}
    state = folded(blank, event(1, "status", state="started"), event(2, "usage", **used), event(3, "usage", **used))
    assert state["messages"][0]["usage"] == {name: 2 * value for name, value in used.items()}
    unknown = event(3, "usage", **(used | {"cost": None}))
    state = folded(blank, event(1, "status", state="started"), event(2, "usage", **used), unknown)
    assert state["messages"][0]["usage"]["cost"] is None


def test_it_puts_older_messages_first_and_none_twice(blank: Page) -> None:
    newest = stored({"id": "b", "role": "user", "content": "2"}, after=9)
    older = stored({"id": "a", "role": "user", "content": "1"}, {"id": "b", "role": "user", "content": "2"})
    state = folded(blank, ["withOlder", older], stored=newest)
    assert [message["id"] for message in state["messages"]] == ["a", "b"]
    assert state["last"] == 9


def test_it_ignores_events_it_does_not_know(blank: Page) -> None:
    state = folded(blank, event(1, "nothing_known"), event(2, "something"))
    assert (state["messages"], state["last"]) == ([], 2)


PROPOSED = event(1, "proposal", proposalId="p", toolCallId="t", reason="So.", diff=[], digest="d")
DECIDED = event(2, "decision", proposalId="p", status="applied", decidedBy="bob", changeSetId="c")


def test_it_holds_a_proposal_until_it_is_decided(blank: Page) -> None:
    for steps, status in (([PROPOSED], "pending"), ([PROPOSED, DECIDED], "applied")):
        (answer,) = folded(blank, *steps)["messages"]
        assert [(each["id"], each["status"], each["reason"]) for each in answer["proposals"]] == [("p", status, "So.")]
    assert answer["proposals"][0]["decidedBy"] == "bob"


def test_what_is_decided_stays_decided(blank: Page) -> None:
    """An answer of the API that was on its way meanwhile, and the event that told of it first, are older."""
    older = ["withDecided", {"id": "p", "status": "pending", "arguments": {}}]
    page = stored(
        {"id": "a", "role": "assistant", "proposals": [{"id": "p", "status": "rejected", "decidedBy": "bob"}]}
    )
    for state in (folded(blank, PROPOSED, DECIDED, older), folded(blank, PROPOSED, stored=page)):
        assert state["messages"][0]["proposals"][0]["decidedBy"] == "bob"
        assert state["messages"][0]["proposals"][0]["status"] != "pending"
