"""What the first question of a process would wait for, done as the process starts."""

from contextlib import suppress

from chat.concurrency.database import in_tool_thread
from chat.engine.available_models import configured, provider_for
from chat.prompts.versions import prompt_version
from chat.providers.configured_models import ModelUnavailableError
from graphs.site.database_away import AWAY
from rag.embeddings import embedding_models


async def warm_up() -> None:
    """Imports the default vendor's SDK and describes all tools."""
    with suppress(ModelUnavailableError):
        provider_for(configured().resolve())
    await in_tool_thread(prompt_version)


async def load_embedder() -> None:
    """Loads the local model where it embeds questions; asks the database for that, which may be away."""
    with suppress(*AWAY):
        await in_tool_thread(embedding_models.warm_up)
