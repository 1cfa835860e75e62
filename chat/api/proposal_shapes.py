"""What the proposals' endpoints take and give."""

from typing import Annotated, Any, Literal

from pydantic import Field

from chat.actions.posting import Digest, Feedback, Id
from graphs.api.history_shapes import DiffEntry, ObjectName
from graphs.api.shapes import Shape
from graphs.site.api.bodies import Body

Status = Literal["pending", "applied", "rejected", "stale", "expired", "cancelled", "failed"]


class PreviewBody(Body):
    """Without edited arguments: what the proposal would change now."""

    edited_arguments: dict[str, Any] | None = None


class DecideBody(Body):
    """Edited arguments need the digest of their preview. With `wait` the run that goes on is awaited."""

    approved: bool
    feedback: Feedback = ""
    edited_arguments: dict[str, Any] | None = None
    digest: Digest = ""
    wait: bool | None = None


class DecideManyBody(Body):
    """Either some proposals or all that wait in one conversation."""

    approved: bool
    ids: Annotated[list[Id], Field(min_length=1, max_length=200)] | None = None
    session_id: Id | None = None
    feedback: Feedback = ""


class ProposeAgainBody(Body):
    wait: bool | None = None


class TargetShape(ObjectName):
    version: int


class AskedShape(Shape):
    level: Literal["app", "workspace", "tool", "session", "request", "default"]
    why: str


class ProposalConflictShape(Shape):
    """What a field was when the change was proposed, and what it is now; of a whole item where `field` is empty."""

    object: ObjectName
    field: str
    expected: Any
    found: Any
    changed_by: str | None = None
    changed_at: str | None = None
    change_set_id: str | None = None


class ProposalShape(Shape):
    """Only one that was asked for by its id is whole. Everywhere else `cut` names what is not.

    Of a large one arguments and targets are left out, texts of the diff and of conflicts are cut. `counts` tells how
    many items come, change, move and go in the whole diff: `{node: {create: 2, move: 1}}`.
    """

    id: str
    session_id: str
    message_id: str
    tool_call_id: str
    object: ObjectName
    status: Status
    tool: str
    arguments: dict[str, Any]
    decided_arguments: dict[str, Any] | None
    reason: str
    diff: list[DiffEntry]
    counts: dict[str, dict[Literal["create", "update", "move", "delete"], int]]
    cut: list[Literal["arguments", "decidedArguments", "diff", "targets", "conflicts"]]
    digest: str
    targets: list[TargetShape]
    asked_by: list[AskedShape]
    created_at: str
    expires_at: str
    decided_by: str | None
    decided_at: str | None
    feedback: str
    change_set_id: str | None
    undone_by: str | None
    conflicts: list[ProposalConflictShape]
    asked_again: bool


class ProposalPage(Shape):
    results: list[ProposalShape]
    next: str | None
    previous: str | None


class WaitingShape(Shape):
    """`more`: there are more than `count`. `stream_id` names the stream that tells of every change of it."""

    count: int
    more: bool
    stream_id: str


class ProposalPreviewShape(Shape):
    diff: list[DiffEntry]
    digest: str


class DecidedOneShape(Shape):
    """`code` and `detail` say why it had no effect, `status` what it is now."""

    id: str
    status: Status
    code: str | None = None
    detail: str | None = None
    proposal: ProposalShape


class DecidedManyShape(Shape):
    results: list[DecidedOneShape]
