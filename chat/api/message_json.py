"""Messages as the API answers with them."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Literal, Self

from chat.api.markdown import render
from chat.models import Feedback, Message
from chat.prompts.summary_json import SummaryShape
from chat.proposals.proposal_json import ProposalShape, proposals_json
from chat.queries.answers import ErrorShape, ToolCallShape, UsageShape, tool_calls
from chat.queries.conversations import feedback_of
from chat.queries.links import Link, mentioned, shown_as
from graphs.objects.refs import Ref
from graphs.site.access import Member
from graphs.site.api.paging import PageShape
from graphs.site.shapes import AsItIs, Id, Moment, Shape


class FeedbackShape(Shape):
    """The reader's own vote on an answer; 0 where they gave none."""

    vote: int
    comment: str


class MessageShape(Shape):
    """`prompt_version` is the digest of the wording of the conversation or, where it was asked with a managed prompt,
    `key@number`. `author` wrote it, where that was not the conversation's owner."""

    id: Id
    role: Literal["user", "assistant"]
    author: str | None
    status: Literal["complete", "queued", "streaming", "stopped", "failed"]
    content: str
    html: str
    reasoning: str
    tool_calls: AsItIs[list[ToolCallShape]]
    proposals: AsItIs[list[ProposalShape]]
    model: str
    model_id: str
    prompt_version: str | None
    deepens: str | None
    gave_up: bool
    run_id: str | None
    error: AsItIs[ErrorShape | None]
    usage: UsageShape | None
    changes: int | None
    in_prompt: Literal["auto", "pinned", "left_out"]
    feedback: FeedbackShape | None
    created_at: Moment

    @classmethod
    def of(
        cls,
        message: Message,
        proposals: Sequence[ProposalShape],
        links: Mapping[Ref, Link],
        feedback: Feedback | None,
    ) -> Self:
        """A message. An answer that is still being written has no content here: its events tell it."""
        run = getattr(message, "run", None)
        return cls.from_attributes(
            message,
            author=message.author.get_username() if message.author else None,
            html=render(message.content, links) if message.role == Message.Role.ASSISTANT else "",
            tool_calls=tool_calls(message) if message.content or message.status != "streaming" else [],
            proposals=proposals,
            model_id=f"{run.provider}:{run.model}" if run and run.provider else "",
            prompt_version=message.prompt_version or None,
            deepens=str(message.deepens_id) if message.deepens_id else None,
            gave_up=bool(run and run.gave_up),
            run_id=str(run.pk) if run else None,
            error=run.error if run else None,
            usage=UsageShape.of(run) if run else None,
            feedback=FeedbackShape.from_attributes(feedback) if feedback else None,
        )

    @classmethod
    def of_all(cls, messages: Sequence[Message], member: Member) -> list[Self]:
        """Messages for a member with their proposals and with links to what they mention, each looked up together."""
        links = shown_as(member, mentioned(message.content for message in messages))
        proposed = [proposal for message in messages for proposal in message.proposals.all()]
        by_message: dict[uuid.UUID, list[ProposalShape]] = {}
        for proposal, shown in zip(proposed, proposals_json(proposed), strict=True):
            by_message.setdefault(proposal.message_id, []).append(shown)
        votes = feedback_of(member, messages)
        return [cls.of(message, by_message.get(message.pk, []), links, votes.get(message.pk)) for message in messages]


class MessagePage(PageShape[MessageShape]):
    """The oldest message first; `previous` gives earlier ones. Read `streamId` from the number `after` on to go on."""

    stream_id: str
    after: int
    summary: SummaryShape | None
