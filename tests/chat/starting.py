"""Starts a runtime in the process of a test, which has had others."""

from functools import cache

import pytest

from chat.engine import warming
from chat.engine.runtime import Runtime

#: A process has one runtime, and reads for nobody once: those that tests start after it do not read again.
_read_for_nobody = cache(warming._read_for_nobody)


async def start(runtime: Runtime) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(warming, "_read_for_nobody", _read_for_nobody)
        await runtime.start()
