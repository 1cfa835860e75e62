"""Answers that are written or wait, and those of one's own that failed and can be tried again."""

from collections.abc import Sequence
from typing import Any

from django.db.models import CharField, Exists, F, OuterRef, Q, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Cast, Concat, Now
from django.utils.translation import gettext as _

from chat.actions import conversations, posting
from chat.models import LIVE, ModelCall, Run, RunStatus, SessionType
from chat.queue.entry import FAILED_FOR, Entry, Place, State
from chat.rights.conversations import WRITES, access_to
from graphs.models import Role
from graphs.site.access import Member, or_not_found, parsed_id

KIND = "answer"


class Answers:
    kind = KIND

    def entries(self, member: Member, after: Place | None, most: int) -> Sequence[Entry]:
        """What runs or waits in the workspace, and what failed lately of the member's own."""
        found = [*_first(member, _live(member), after, most), *_first(member, _failed(member), after, most)]
        return sorted((_entry(member, run) for run in found), key=lambda each: each.place)[:most]

    def cancel(self, member: Member, key: str) -> None:
        """Stops an answer in a conversation in which the member may write, as admins may those of others."""
        conversations.stop_run(member, key)

    def retry(self, member: Member, key: str) -> None:
        """Asks the question of an own answer again, which counts as a message."""
        own = Run.objects.filter(
            pk=parsed_id(key), session__workspace=member.workspace, session__owner=member.user, session__hidden_at=None
        )
        run = or_not_found(own.first())
        posting.count_run(member.user)
        conversations.retry(member, str(run.session_id), run_id=run.pk)


def _live(member: Member) -> QuerySet[Run]:
    here = Run.objects.filter(session__workspace=member.workspace, session__hidden_at=None, status__in=LIVE)
    return here.exclude(session__type=SessionType.GENERATION).annotate(moment=F("created_at"))


def _failed(member: Member) -> QuerySet[Run]:
    """The last answers of the member's conversations, where they failed in a way that may pass."""
    later = Run.objects.filter(session=OuterRef("session"), message__sequence__gt=OuterRef("message__sequence"))
    return Run.objects.filter(
        ~Exists(later),
        session__workspace=member.workspace,
        session__owner=member.user,
        session__hidden_at=None,
        session__archived_at=None,
        session__updated_at__gt=Now() - FAILED_FOR,
        status=RunStatus.FAILED,
        error__retryable=True,
        session__type=SessionType.CHAT,
        ended_at__gt=Now() - FAILED_FOR,
    ).annotate(moment=F("ended_at"))


def _first(member: Member, runs: QuerySet[Run], after: Place | None, most: int) -> QuerySet[Run]:
    earlier = Run.objects.filter(
        session=OuterRef("session"), status__in=LIVE, message__sequence__lt=OuterRef("message__sequence")
    )
    spent = ModelCall.objects.filter(run=OuterRef("pk")).order_by().values("run").annotate(all=Sum("cost"))
    found: QuerySet[Any] = runs.annotate(
        name=Concat(Value(f"{KIND}:"), Cast("pk", CharField())),
        waits_behind=Exists(earlier),
        cost=Subquery(spent.values("all")),
        access=access_to(member.user, "chat_run.session_id"),
    ).select_related("session__stream", "session__owner", "author")
    if after is not None:
        moment, name = after
        found = found.filter(Q(moment__gt=moment) | Q(moment=moment, name__gt=name))
    return found.order_by("moment", "name")[:most]


def _entry(member: Member, run: Any) -> Entry:
    session = run.session
    known_to_member = run.access is not None
    asked_by = run.author if known_to_member else session.owner
    live = run.status in LIVE
    known = {
        "title": session.title,
        "object": session.context,
        "stream": session.stream.name,
        "session_id": str(session.pk),
        "message_id": str(run.message_id),
        "model": run.model or run.asked_model or session.model,
        "cost": run.cost,
    }
    return Entry(
        kind=KIND,
        key=str(run.pk),
        state=_state(run),
        since=run.moment,
        person=asked_by.get_username(),
        own=asked_by == member.user,
        reason=_reason(run),
        may_cancel=live and run.stop_requested_at is None and (run.access in WRITES or member.role == Role.ADMIN),
        may_retry=not live,
        **(known if known_to_member else {}),
    )


def _state(run: Run) -> State:
    if run.status == RunStatus.FAILED:
        return "failed"
    return "running" if run.status == RunStatus.RUNNING else "waiting"


def _reason(run: Any) -> str:
    if run.status == RunStatus.FAILED:
        return str((run.error or {}).get("message", ""))
    if run.stop_requested_at is not None:
        return _("It is being stopped.")
    if run.status == RunStatus.RUNNING:
        return ""
    if run.waits_behind:
        return _("It waits for the answer before it in the same conversation.")
    if run.first_sequence is not None:
        return _("The server that wrote it has stopped. Another one takes over.")
    return _("It waits for a server that has room for it.")
