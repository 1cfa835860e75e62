"""How a generation begins: asked for by a person or a model, or as what comes of another one; and how far those are."""

import logging
import threading
import uuid
from dataclasses import dataclass

from celery import current_app
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from chat.engine import claims
from chat.engine.runs import new_run, start
from chat.events import notices, toasts
from chat.events.append import append
from chat.generation.asked import GenerationState, generation_event
from chat.generation.progress import progress_of
from chat.managed_prompts.versions import active_or_latest
from chat.models import (
    Message,
    PromptVersion,
    Proposal,
    ProposalStatus,
    Run,
    RunStatus,
    Session,
    SessionType,
    Stream,
    StructuredRun,
)
from chat.queries.links import shown_as
from chat.subjects.registered_subjects import generation_of
from graphs.models import Object, Workspace
from graphs.objects.headers import existing
from graphs.objects.operations import Create, from_json

TASK = "chat.tasks.generate"
#: A job that was not taken for so long wakes nobody any more: the schedule has.
EXPIRES_S = 60
_sending = threading.Lock()

log = logging.getLogger("countersign.generations")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be generated about an object, in whose name, and in which language."""

    about: Object
    author: User
    workspace: Workspace
    version: PromptVersion
    language: str
    model: str = ""
    instructions: str = ""
    count: int | None = None
    by_model: bool = False
    asked_in: Message | None = None
    #: What it was asked for in, or came of: what was read there from outside, its model is told, too.
    within: Session | None = None
    parent: StructuredRun | None = None
    place: int | None = None


def begin(wanted: Wanted) -> Run:
    """Stores a generation that waits for its turn, and tells the pages of its object; last in the transaction."""
    stream = Stream.objects.get(name=notices.stream_of(wanted.about))
    session = Session.objects.create(
        workspace=wanted.workspace,
        owner=wanted.author,
        stream=stream,
        type=SessionType.GENERATION,
        title=str(wanted.version),
        context_type=wanted.about.type,
        context_id=wanted.about.key,
        model=wanted.model,
        language=wanted.language,
        on_disconnect=Session.OnDisconnect.CONTINUE,
        untrusted_since=wanted.within.untrusted_since if wanted.within else None,
        untrusted_source=wanted.within.untrusted_source if wanted.within else "",
    )
    question = Message(session=session, sequence=1, role=Message.Role.USER, prompt_version=str(wanted.version))
    trigger = {"event": "UserMessageSent"}
    run = new_run(session, wanted.author, 2, trigger, model=wanted.model, asked_with=wanted.version)
    start(run, None, [generation_event(run, "queued")], resting=False, question=question)
    StructuredRun.objects.create(
        run=run,
        instructions=wanted.instructions,
        count=wanted.count,
        by_model=wanted.by_model,
        asked_in=wanted.asked_in,
        parent=wanted.parent,
        place=wanted.place,
    )
    transaction.on_commit(_wake, robust=True)
    return run


def _wake() -> None:
    """Sends a worker the job, from a thread: nobody waits for the broker. What gets lost, the schedule finds."""
    if not _sending.acquire(blocking=False):
        return
    try:
        threading.Thread(target=_send, name="generation job", daemon=True).start()
    except RuntimeError:  # the process has no room for a thread now; the next one may have
        _sending.release()
        raise


def _send() -> None:
    _sending.release()
    try:
        current_app.send_task(TASK, retry=False, expires=EXPIRES_S)
    except Exception as error:  # Any: whatever the broker's library raises, the schedule wakes the worker.
        log.info("Generations wait for the schedule: %s", type(error).__name__)


def follow_up(proposal: Proposal) -> None:
    """Begins what comes of a generation whose proposal was applied: of each object that it made another one.

    Each is begun once, whatever is applied how often: it has the place of its object. It is in the name of who asked
    or, where they may change nothing any more, of who approved.
    """
    if proposal.status != ProposalStatus.APPLIED or proposal.session.type != SessionType.GENERATION:
        return
    run = Run.objects.select_related("structured", "prompt_version__prompt", "author").get(message=proposal.message_id)
    assert run.prompt_version is not None
    generation = generation_of(proposal.session.context_type, run.prompt_version.prompt.type)
    if generation is None or not generation.then:
        return
    version = active_or_latest(proposal.workspace, generation.then)
    asker = claims.author_of(run)
    author = run.author if asker is not None and asker.role.may_edit else proposal.decided_by or run.author
    made = [each.item for each in map(from_json, proposal.operations) if isinstance(each, Create)]
    begun = set(run.structured.children.values_list("place", flat=True))
    for place, ref in enumerate(made):
        about = existing(proposal.workspace_id, ref)
        if place in begun or about is None:
            continue
        begin(
            Wanted(
                about=about,
                author=author,
                workspace=proposal.workspace,
                version=version,
                language=proposal.session.language,
                model=own_model(run) or version.model,
                instructions=run.structured.instructions,
                by_model=run.structured.by_model,
                asked_in=run.structured.asked_in,
                within=proposal.session,
                parent=run.structured,
                place=place,
            )
        )


def own_model(run: Run) -> str:
    """The model that was asked for by its name; "" where the prompt, or nobody, named it."""
    return "" if run.prompt_version and run.asked_model == run.prompt_version.model else run.asked_model


def tell_progress(run_id: uuid.UUID, parent: uuid.UUID | None) -> None:
    """Tells the pages of its object how far is what came of a generation that is over, and of the one it came of."""
    progress = progress_of([run_id, *([parent] if parent else [])])
    if not progress:
        return
    runs = Run.objects.select_related("session", "prompt_version__prompt").filter(pk__in=progress)
    with transaction.atomic():
        for run in runs.order_by("session__stream_id"):
            so_far = progress[run.pk]
            state: GenerationState = "running" if so_far["done"] < so_far["of"] else "succeeded"
            append(run.session.stream_id, [generation_event(run, state, so_far)])


def tell_end(run_id: uuid.UUID, parent: uuid.UUID | None) -> None:
    """Tells who asked that a generation is over with all that came of it, on whatever page they are; not if stopped."""
    told = [run_id, *([parent] if parent else [])]
    runs = Run.objects.select_related("session__workspace", "author").in_bulk(told)
    if any(run.status not in (RunStatus.SUCCEEDED, RunStatus.FAILED) for run in runs.values()):
        return
    whole = runs[parent or run_id]
    if any(each["done"] < each["of"] for each in progress_of([whole.pk]).values()):
        return
    about, member = whole.session.context, claims.author_of(whole)
    link = shown_as(member, [about]).get(about) if member and about else None
    if link is None:
        return
    of_it = Q(message__run=whole.pk) | Q(message__run__structured__parent=whole.pk)
    waits = Proposal.objects.filter(of_it, status=ProposalStatus.PENDING).exists()
    toasts.tell_of_generation(whole, link.title, waits=waits)
