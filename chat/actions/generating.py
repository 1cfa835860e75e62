"""What a person may ask of structured generations: one about an object, and that it be cancelled."""

from django.db import transaction
from django.db.models import Q
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from chat.actions.conversations import require_model, stop_runs
from chat.actions.managing_prompts import usable_prompt_for
from chat.actions.refusals import Refused
from chat.engine.error_texts import none_active
from chat.engine.generating import Wanted, begin, own_model, tell_progress
from chat.managed_prompts.versions import active_in
from chat.models import LIVE, Message, PromptVersion, Run, RunStatus, Session, SessionType
from chat.proposals import cancel_pending
from chat.queries.generations import generation_for
from chat.subjects.registered_subjects import generation_of
from chat.tools.generating import GenerateArguments
from chat.tools.tool import ToolContext
from graphs.models import Workspace
from graphs.objects.headers import object_for, require_editable
from graphs.objects.kinds import KINDS, is_object
from graphs.objects.refs import Ref
from graphs.site.access import Member

#: Characters of what is asked for besides the prompt.
MAX_INSTRUCTIONS = 4_000
#: Generations that a model begins in one answer.
MOST_OF_ANSWER = 10
#: Generations of a workspace that wait or are at work.
MOST_LIVE = 200


def generate(
    member: Member,
    prompt: str,
    about: Ref,
    *,
    instructions: str = "",
    count: int | None = None,
    model: str = "",
    by_model: bool = False,
    asked_in: Message | None = None,
    within: Session | None = None,
) -> Run:
    """Begins a generation about an object. Raises `NotFound`, `Forbidden` and `Refused` before it writes.

    `by_model`: a model asks for it, in the answer `asked_in`, and no person. `within` is where the instructions come
    from.
    """
    version = _active_version(member, prompt)
    if not is_object(about.type):
        sentence = _("There is no kind of object called “%(kind)s”.") % {"kind": about.type}
        raise Refused("validation", sentence, field="context.type")
    require_editable(member, [about])
    of = object_for(member, about)
    generation = generation_of(about.type, version.prompt.type)
    if generation is None:
        sentence = _("This prompt makes nothing of objects of the kind “{kind}”.")
        raise Refused("validation", sentence.format(kind=KINDS[about.type].label), field="context.type")
    if count is not None and not generation.counts:
        raise Refused("validation", _("This prompt makes one result. Leave the number out."), field="count")
    asked_model = model or version.model
    require_model(member, asked_model)
    _require_few_live(member.workspace)
    with transaction.atomic():
        return begin(
            Wanted(
                about=of,
                author=member.user,
                workspace=member.workspace,
                version=version,
                language=(get_language() or "en")[:10],
                model=asked_model,
                instructions=instructions.strip(),
                count=count,
                by_model=by_model,
                asked_in=asked_in,
                within=within,
            )
        )


def _active_version(member: Member, prompt: str) -> PromptVersion:
    used = usable_prompt_for(member, prompt)
    version = active_in(member.workspace, used)
    if version is None:
        raise Refused("conflict", str(none_active(used).text))
    return version


def _require_few_live(workspace: Workspace) -> None:
    live = Run.objects.filter(status__in=LIVE)
    if live.filter(session__workspace=workspace, session__type=SessionType.GENERATION).count() >= MOST_LIVE:
        raise Refused("too_many", _("Too many generations wait in this workspace. Try again when some are done."))


@transaction.atomic
def generate_for_model(context: ToolContext, arguments: GenerateArguments) -> str:
    """The id of the generation that a model asks for in an answer; the same one where it asked in that answer before.

    Raises as `generate` does.
    """
    assert context.account is not None
    # Calls of one reply run side by side.
    held = Message.objects.select_for_update(no_key=True, of=("self",)).select_related("session")
    answer = held.get(run=context.account.run_id)
    asked = answer.generations.filter(run__prompt_version__prompt__key=arguments.prompt).filter(
        run__session__context_type=arguments.object.type, run__session__context_id=arguments.object.key
    )
    before = asked.values_list("pk", flat=True).first()
    if before is not None:
        return str(before)
    if answer.generations.count() >= MOST_OF_ANSWER:
        raise Refused("too_many", _("One answer begins at most %(most)s generations.") % {"most": MOST_OF_ANSWER})
    run = generate(
        context.member,
        arguments.prompt,
        arguments.object,
        instructions=arguments.instructions or "",
        model=arguments.model or "",
        by_model=True,
        asked_in=answer,
        within=answer.session,
    )
    return str(run.pk)


def generate_again(member: Member, run: Run) -> Run:
    """Begins one anew that failed, as it was asked for: what a model asked for stays a model's. Raises as `generate`.

    A model that its prompt named is that of the prompt as it is now.
    """
    asked, version, about = run.structured, run.prompt_version, run.session.context
    if run.status != RunStatus.FAILED or version is None or about is None:
        raise Refused("conflict", _("There is nothing to try again here."))
    return generate(
        member,
        version.prompt.key,
        about,
        instructions=asked.instructions,
        count=asked.count,
        model=own_model(run),
        by_model=asked.by_model,
        asked_in=asked.asked_in,
        within=run.session,
    )


def cancel(member: Member, run_id: str) -> Run:
    """Stops a generation, with what comes of it, and what of it waits for a decision. Raises `NotFound`, `Forbidden`.

    What is over stays as it is.
    """
    run = generation_for(member, run_id)
    member.require_editor()
    with transaction.atomic():
        _stop(Q(runs=run.pk))
        # Only now: as long as it was at work, more could come of it.
        _stop(Q(runs__structured__parent=run.pk))
        # What had not begun ends here, and nobody else tells the pages of what it came of.
        tell_progress(run.pk, run.structured.parent_id)
    return generation_for(member, run_id)


def _stop(which: Q) -> None:
    """Stops generations, and what of them waits for a decision. Those that are being stored are waited for."""
    of_it = Session.objects.filter(which, type=SessionType.GENERATION).values("pk")
    held = Session.objects.select_for_update(no_key=True, of=("self",)).select_related("stream", "workspace")
    for session in held.filter(pk__in=of_it).order_by("stream", "pk"):
        stop_runs(session, session.runs.all(), cancel_pending(session))
