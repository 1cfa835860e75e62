"""The OpenAPI document."""

from tests.wire.story import Story


async def tell(story: Story) -> None:
    await story.call("without a token", "GET", "schema", who="")
    await story.call("the whole document", "GET", "schema")
