"""The chapters of the story, each in a world of its own. A chapter's name is that of its file in `recorded/`."""

from collections.abc import Awaitable, Callable

from tests.wire.chapters import (
    changes,
    chat_socket,
    conversations,
    generations,
    graph_socket,
    graphs,
    history,
    matrix,
    model_view,
    models,
    objects,
    prompts,
    proposals,
    queue,
    schema,
    sharing,
    signing_in,
    streams,
)
from tests.wire.story import Story

CHAPTERS: dict[str, Callable[[Story], Awaitable[None]]] = {
    module.__name__.rpartition(".")[2]: module.tell
    for module in (
        changes,
        chat_socket,
        conversations,
        generations,
        graph_socket,
        graphs,
        history,
        matrix,
        model_view,
        models,
        objects,
        prompts,
        proposals,
        queue,
        schema,
        sharing,
        signing_in,
        streams,
    )
}
