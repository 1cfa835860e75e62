"""What a call of a write tool would do now: operations, what they were computed from, and a digest of it all."""

import hashlib
import json
import uuid
from dataclasses import dataclass
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import F, Func, JSONField, QuerySet, Value
from django.db.models.functions import Now
from django.utils import translation
from django.utils.translation import gettext as _

from chat.models import Proposal, ProposalStatus
from graphs.history.diff_order import below_holders
from graphs.history.diffs import DiffEntry, diff_in
from graphs.history.value_words import with_titles
from graphs.models import Object
from graphs.objects import operations, planning
from graphs.objects.actions import Action, ChangeRefused
from graphs.objects.headers import require_may_edit_all
from graphs.objects.operations import Operation
from graphs.site.access import Member

#: What one proposal may be long, with all that it changes before and after: it is shown, and sent to every window.
MOST_CHARS = 5_000_000
#: What its diff may be, which has each line by itself; that of a short proposal is shorter.
MOST_SHOWN = 10_000_000
WITH_SHORT_DIFF = 200_000
#: Of stored operations, the keys of what they create.
_CREATED = '$[*] ? (@.action == "create"{of_kind}).id'
#: Stored diffs are labelled in the language of the source; readers get theirs when they are shown.
_LANGUAGE = "en"


@dataclass(frozen=True, slots=True)
class DraftedProposal:
    """What a call would do, as stored; `planned` are the operations. `digest` names exactly what would be applied."""

    planned: tuple[Operation, ...]
    operations: list[dict[str, Any]]
    targets: list[dict[str, Any]]
    diff: list[DiffEntry]
    digest: str


def draft(
    of: Object,
    tool: str,
    action: Action,
    arguments: dict[str, Any],
    own: uuid.UUID | None = None,
    member: Member | None = None,
) -> DraftedProposal:
    """The draft on the object, which the caller holds, without keys of other proposals. Raises `ChangeRefused`."""
    planned = planning.plan(of, [action], lambda: _reserved(of, own), member)
    if member is not None:
        require_may_edit_all(member, planned.operations)
    stored = [operations.to_json(operation) for operation in planned.operations]
    targets = [target.to_json() for target in planned.targets]
    text = canonical(tool, arguments, stored, targets)
    _refuse_longer(len(text), MOST_CHARS)
    with translation.override(_LANGUAGE):
        diff = below_holders(diff_in(of, planned.operations), planned.operations)
        diff = with_titles(diff, of.workspace_id)
    if len(text) > WITH_SHORT_DIFF:
        _refuse_longer(len(json.dumps(diff, cls=DjangoJSONEncoder)), MOST_SHOWN)
    return DraftedProposal(planned.operations, stored, targets, diff, digest_of(text))


def _refuse_longer(length: int, most: int) -> None:
    if length > most:
        raise ChangeRefused(_("This is more text than anybody can look through at once. Propose it in parts."))


def canonical(tool: str, arguments: Any, stored_operations: Any, targets: Any) -> str:
    """All that the digest is over, always written in the same way."""
    named = {"tool": tool, "arguments": arguments, "operations": stored_operations, "targets": targets}
    return json.dumps(named, cls=DjangoJSONEncoder, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def reserved_objects(workspace_id: int, kind: str) -> set[str]:
    """The keys of objects of a kind that proposals of the workspace would make, while they wait."""
    return _created_by(Proposal.objects.filter(workspace=workspace_id), f" && @.type == {json.dumps(kind)}")


def _reserved(of: Object, own: uuid.UUID | None) -> set[str]:
    """The keys of what proposals that wait would create."""
    here = Proposal.objects.filter(workspace=of.workspace_id, object=of.pk)
    return _created_by(here if own is None else here.exclude(pk=own))


def _created_by(proposals: QuerySet[Proposal], of_kind: str = "") -> set[str]:
    """The keys of what those of the proposals that wait would create."""
    waiting = proposals.filter(status=ProposalStatus.PENDING, expires_at__gt=Now())
    created = Func(
        F("operations"), Value(_CREATED.format(of_kind=of_kind)),
        template="jsonb_path_query_array(%(expressions)s::jsonpath)", output_field=JSONField(),
    )  # fmt: skip
    return {key for keys in waiting.values_list(created, flat=True) for key in keys}
