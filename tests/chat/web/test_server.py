import asyncio
import gc
import os
import subprocess
import sys
from pathlib import Path

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


def test_a_process_whose_events_nobody_would_take_does_not_start(tmp_path: Path) -> None:
    env = os.environ | {"AI_LOG_SINK": "config.known_secrets.nobody", "DATA_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "chat.web.server", "--port", "0"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    (said,) = done.stderr.splitlines()
    assert said.split(" ", 1)[1].startswith("CRITICAL countersign.server: AI_LOG_SINK names no function")
