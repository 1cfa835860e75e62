"""Reads what a door sends part by part."""

import asyncio
import io
from collections.abc import AsyncIterable
from typing import Any, cast


def content_of(response: Any) -> bytes:
    """All of the file."""
    assert response.status_code == 200, response.content

    async def whole() -> bytes:
        return b"".join([part async for part in cast("AsyncIterable[bytes]", response.streaming_content)])

    return asyncio.run(whole())


def as_file(response: Any) -> io.BytesIO:
    return io.BytesIO(content_of(response))
