"""What the first question of a process would wait for, done as the process starts."""

import logging
from contextlib import suppress
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Max

from chat.concurrency.database import in_tool_thread
from chat.engine.available_models import configured, provider_for
from chat.prompts.system import system_prompt
from chat.prompts.versions import prompt_version
from chat.providers.configured_models import ModelUnavailableError
from graphs.models import Object, Role, Workspace
from graphs.objects.headers import model_of_header
from graphs.objects.kinds import of_objects
from graphs.objects.membership import member_and_object
from graphs.objects.refs import Ref
from graphs.site.access import Member, NotFound
from graphs.site.database_away import AWAY
from rag.embeddings import embedding_models
from rag.sources.registered_sources import source_of

log = logging.getLogger("countersign.engine")

#: PostgreSQL plans a prepared statement anew five times before it keeps a plan.
TIMES_UNTIL_A_PLAN_IS_KEPT = 6


async def warm_up() -> None:
    """Imports the default vendor's SDK and describes all tools."""
    with suppress(ModelUnavailableError):
        provider_for(configured().resolve())
    await in_tool_thread(prompt_version)


async def load_embedder() -> None:
    """Loads the local model where it embeds questions; asks the database for that, which may be away."""
    with suppress(*AWAY):
        await in_tool_thread(embedding_models.warm_up)


async def read_for_nobody() -> None:
    """Reads what a question reads, for nobody: there is nothing, and the connection knows tables and keeps plans then.

    It is the oldest, which the pool gives out first: questions get it.
    """
    try:
        await in_tool_thread(_read_for_nobody)
    except Exception as error:  # Any: a question will say what is wrong.
        log.warning("nothing was read before the first question: %s", type(error).__name__)


def _read_for_nobody() -> None:
    connection.ensure_connection()
    driver: Any = connection.connection
    often = driver.prepare_threshold
    times = 1 if often is None else TIMES_UNTIL_A_PLAN_IS_KEPT  # Behind a pooler nothing may be prepared.
    driver.prepare_threshold = None if often is None else 0
    try:
        for nobodys_id in _nobodys_ids() * times:
            _read_once(nobodys_id)
    finally:
        driver.prepare_threshold = often


def _nobodys_ids() -> list[int]:
    """Ids of no object, one of each size that the driver tells numbers in: it prepares a statement for each of them."""
    last = Object.objects.aggregate(last=Max("pk"))["last"] or 0
    return [0] if last < 2**15 else [0, 2**31 - 1]


def _read_once(nobodys_id: int) -> None:
    nobody, nowhere = User(pk=0), Workspace(pk=0)
    member = Member(nobody, nowhere, Role.EDITOR)
    for kind in of_objects():
        if model := model_of_header(ref := Ref(kind.name, "")):
            about = model(pk=nobodys_id, workspace=nowhere)
            with suppress(NotFound):
                member_and_object(nobody, "", ref)
            source_of(kind.name).dump(member, about, "")  # No vector is asked for of an empty question.
            system_prompt(about, member)
