"""`manage.py stream_chat --graph K --message M`: asks, drives the answer itself and shows it, beside a site or not."""

import asyncio
import signal
import uuid
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from chat.actions import conversations
from chat.actions.refusals import Refused
from chat.concurrency.database import in_db
from chat.engine.runs import Accepted
from chat.engine.runtime import Runtime
from chat.events.vocabulary import StoredEvent
from chat.management.cli_options import absent, add_object_options, first_admin, named, named_object
from chat.management.run_printing import EventLines, RunPrinter
from chat.models import Run
from chat.queries.conversations import hold
from chat.queries.streams import stream_for
from graphs.management.workspace_option import add_workspace_option, chosen_workspace
from graphs.objects.refs import Ref
from graphs.site.access import Member, NotFound
from rag.management.quiet import QuietCommand

#: What a shell expects of a command that Ctrl-C ended.
INTERRUPTED = 130
#: What else is no complete answer, and no error: the sentence and the exit code.
ENDINGS = {
    "waiting": ("It waits for a decision about what it proposed: in the inbox, or in the conversation.", 3),
    "toolLimit": ("It used up its rounds of tools: answer in the conversation whether it shall go on.", 3),
    "stopped": ("Somebody stopped it; what was written is kept.", 4),
}


class Command(QuietCommand):
    help = "Asks a question about an object and shows the answer as it is written. Ctrl-C stops it."

    def add_arguments(self, parser: CommandParser) -> None:
        about = parser.add_mutually_exclusive_group(required=True)
        add_object_options(about)
        about.add_argument("--session", default="", help="id of a conversation to go on with")
        parser.add_argument("--message", required=True)
        parser.add_argument("--model", help="who is asked: provider or provider:model; default: the conversation's")
        parser.add_argument("--user", help="who asks; default: the first admin of the workspace")
        parser.add_argument("--json", action="store_true", help="each event as a line of JSON")
        add_workspace_option(parser)

    def handle(self, *args: Any, session: str, message: str, **options: Any) -> None:
        workspace = chosen_workspace(options["workspace"])
        member = named(workspace, options["user"]) if options["user"] is not None else first_admin(workspace)
        context = None if session else named_object(options)
        printer = EventLines(self.stdout) if options["json"] else RunPrinter(self.stdout, self.stderr)
        conversation = _Conversation(member, printer, options["model"] or "")
        try:
            last = asyncio.run(conversation.hold(message, context, session))
        except Refused as refused:
            raise CommandError(refused.detail) from None
        except NotFound:
            raise (absent(context, workspace) if context else _no_session(member, session)) from None
        except asyncio.CancelledError:
            raise CommandError("This process cannot go on; others finish the answer. Read it on the site.") from None
        if last.type == "error":
            raise CommandError(last.data["message"])
        if conversation.interrupted:
            raise CommandError("Stopped; what was written is kept.", returncode=INTERRUPTED)
        if last.data["reason"] in ENDINGS:
            sentence, code = ENDINGS[last.data["reason"]]
            raise CommandError(sentence, returncode=code)


class _Conversation:
    """One question and its answer, in an event loop of its own."""

    def __init__(self, member: Member, printer: RunPrinter | EventLines, model: str) -> None:
        self._member = member
        self._printer = printer
        self._model = model
        self.interrupted = False
        self._stopping: asyncio.Task[None] | None = None

    async def hold(self, message: str, context: Ref | None, session: str) -> StoredEvent:
        """Returns the event that closed the run. Raises what `conversations.post_message` raises."""
        task = asyncio.current_task()
        assert task is not None

        def fail() -> None:
            task.cancel()

        # Before the run is stored: it begins here, and with the models of this environment.
        runtime = Runtime(fail, others=False)
        await runtime.start()
        try:
            accepted = await in_db(self._post, message, context, session, runtime.process_id)
            self._printer.note(f"session {accepted.session_id}, as {self._member.user.get_username()}")
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self._interrupt, str(accepted.session_id))
            return await self._follow(runtime, accepted)
        finally:
            asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)
            await runtime.close()

    def _post(self, message: str, context: Ref | None, session: str, process: uuid.UUID) -> Accepted:
        """Stores the question and a run that this process drives. One that would wait here could be another's."""
        with transaction.atomic():
            if session:
                held = hold(self._member.user, session, self._member.workspace)
                conversations.require_rest(held.session)
                accepted = conversations.post_into(held, message, context=context, model=self._model)
            else:
                accepted = conversations.post_message(self._member, message, context=context, model=self._model)
            if not Run.objects.filter(pk=accepted.run_id, process=process).exists():
                raise CommandError("This process cannot drive the answer now. Try again.")
        return accepted

    async def _follow(self, runtime: Runtime, accepted: Accepted) -> StoredEvent:
        stream = await in_db(stream_for, self._member.user, accepted.stream)
        watch = await runtime.hub.watch(stream.id, accepted.after)
        try:
            while True:
                for event in await watch.next():
                    if event.run_id == accepted.run_id:
                        self._printer.show(event)
                        if event.type in {"done", "error"}:
                            return event
        finally:
            watch.close()

    def _interrupt(self, session_id: str) -> None:
        """The first Ctrl-C stops the answer; a second one ends this process, too."""
        self.interrupted = True
        asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)
        self._stopping = asyncio.ensure_future(in_db(conversations.stop, self._member, session_id))


def _no_session(member: Member, session: str) -> CommandError:
    who, where = member.user.get_username(), member.workspace.slug
    return CommandError(f'{who} has no conversation "{session}" in the workspace "{where}". Check --user.')
