"""Structured generations that run or wait, and those that one asked for and that failed. Editors stop them."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from chat.actions import generating, posting
from chat.actions.refusals import Refused
from chat.models import LIVE, Run, RunStatus
from chat.queries.generations import Generation, failed_generations, generation_for, live_generations
from chat.queue.entry import FAILED_FOR, Entry, Place, Progress
from graphs.site.access import Forbidden, Member

KIND = "generation"


class Generations:
    kind = KIND

    def entries(self, member: Member, after: Place | None, most: int) -> Sequence[Entry]:
        """What runs or waits in the workspace, and what failed lately of what the member asked for."""
        # One may have ended between the statements.
        live = [each for each in live_generations(member) if each.state in LIVE]
        found = [*live, *failed_generations(member, FAILED_FOR)]
        entries = sorted((_entry(member, each) for each in found), key=lambda entry: entry.place)
        return [entry for entry in entries if after is None or entry.place > after][:most]

    def cancel(self, member: Member, key: str) -> None:
        """Stops a generation with what comes of it, as editors may."""
        run = generation_for(member, key)
        member.require_editor()
        if run not in [each.run for each in live_generations(member)]:
            raise Refused("conflict", _("This generation is over."))
        generating.cancel(member, str(run.pk))

    def retry(self, member: Member, key: str) -> None:
        """Begins a failed one anew, as its person may, which counts as a message."""
        run = generation_for(member, key)
        if run.author_id != member.user.pk:
            raise Forbidden
        member.require_editor()
        if run.status != RunStatus.FAILED:
            raise Refused("conflict", _("There is nothing to try again here."))
        posting.count_run(member.user)
        generating.generate_again(member, run)


def _entry(member: Member, generation: Generation) -> Entry:
    run, progress = generation.run, generation.progress
    own = run.author_id == member.user.pk
    live = generation.state in LIVE
    return Entry(
        kind=KIND,
        key=str(run.pk),
        state="running" if generation.state == "running" else "waiting" if live else "failed",
        since=run.created_at,
        person=run.author.get_username(),
        own=own,
        reason=_reason(run, generation),
        progress=Progress(progress["done"], progress["of"]) if progress else None,
        may_cancel=live and member.role.may_edit and not _is_being_stopped(run),
        may_retry=own and not live and member.role.may_edit,
        title=run.prompt_version.prompt.shown_name if run.prompt_version else "",
        object=run.session.context,
        stream=run.session.stream.name,
        message_id=str(run.message_id),
        model=run.model or run.asked_model,
        cost=generation.cost,
    )


def _is_being_stopped(run: Run) -> bool:
    return run.status in LIVE and run.stop_requested_at is not None


def _reason(run: Run, generation: Generation) -> str:
    if run.status == RunStatus.FAILED:
        return str((run.error or {}).get("message", ""))
    if _is_being_stopped(run):
        return _("It is being stopped.")
    match generation.waits_for:
        case "object":
            return _("It waits for the generation before it about the same object.")
        case "slots":
            return _("It waits until fewer generations run in this workspace.")
        case "worker":
            return _("It waits for a worker that has room for it.")
    return ""
