import asyncio
import gc

import pytest
from django.core.exceptions import RequestAborted

from chat.web import server


@pytest.mark.parametrize(("error", "logged"), [(RequestAborted(), False), (ValueError("Broken."), True)])
def test_only_that_a_client_left_is_nothing_to_log(
    error: Exception, logged: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail() -> None:
        raise error

    async def nobody_awaits() -> None:
        asyncio.get_running_loop().set_exception_handler(server.log_unless_client_left)
        task = asyncio.create_task(fail())
        await asyncio.sleep(0.01)
        del task
        gc.collect()

    asyncio.run(nobody_awaits())
    assert ("never retrieved" in caplog.text) is logged
