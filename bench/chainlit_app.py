"""A chat as chainlit's documentation makes one, with its PostgreSQL layer.

`bench.chainlit` runs it by the Python of an environment where chainlit is installed and this project is not.
"""

import os

import chainlit
from chainlit.data.sql_alchemy import SQLAlchemyDataLayer
from openai import AsyncOpenAI

_vendor = AsyncOpenAI(base_url=os.environ["BENCH_VENDOR"], api_key="none")


@chainlit.data_layer
def stored() -> SQLAlchemyDataLayer:
    return SQLAlchemyDataLayer(conninfo=os.environ["BENCH_DATABASE"])


@chainlit.on_message
async def answer(_question: chainlit.Message) -> None:
    """The conversation so far goes to the vendor; each token to the page as it comes."""
    message = chainlit.Message(content="")
    stream = await _vendor.chat.completions.create(
        model="mock", messages=chainlit.chat_context.to_openai(), stream=True
    )
    async for chunk in stream:
        if chunk.choices and (token := chunk.choices[0].delta.content):
            await message.stream_token(token)
    await message.send()
