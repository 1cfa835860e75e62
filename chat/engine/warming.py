"""What the first question of a process would wait for, done before the process serves anybody."""

from contextlib import suppress

from chat.concurrency.database import in_tool_thread
from chat.engine.available_models import configured, provider_for
from chat.prompts.versions import prompt_version
from chat.providers.registry import ModelUnavailableError
from graphs.site.database_away import AWAY
from rag.embeddings.registry import warm_up as load_embedder


async def warm_up() -> None:
    """Imports the default vendor's SDK, describes all tools, and loads the local model where it embeds questions."""
    with suppress(ModelUnavailableError):
        provider_for(configured().resolve())
    await in_tool_thread(prompt_version)
    with suppress(*AWAY):
        await in_tool_thread(load_embedder)
