import sys
import time

import psutil

from bench.cpu import cpu_s
from bench.held_back import held_back


def test_a_process_gets_its_share_and_runs_on_afterwards() -> None:
    process = psutil.Popen([sys.executable, "-c", "while True: pass"])
    try:
        with held_back([process], 0.01):
            time.sleep(0.5)
            states, before = set(), cpu_s(process.pid)
            for _ in range(100):
                states.add(process.status())
                time.sleep(0.01)
            used = cpu_s(process.pid) - before
        assert psutil.STATUS_STOPPED in states
        assert used < 0.2
        assert process.status() != psutil.STATUS_STOPPED
        while cpu_s(process.pid) - before < 0.3:  # ends only if it runs on
            time.sleep(0.01)
    finally:
        process.kill()
        process.wait()


def test_one_that_ends_meanwhile_is_let_go() -> None:
    process = psutil.Popen([sys.executable, "-c", ""])
    with held_back([process], 0.5):
        process.wait()
        time.sleep(0.1)
