"""Becomes another program that ends when the process that started it ends, even by kill -9.

Run by path, with the standard library only: exec_wrapper.py PARENT SIGNAL PIPE UID GID PROGRAM ARGUMENT...
On Linux the kernel sends SIGNAL when PARENT dies. Elsewhere PIPE is the reading end of a pipe whose writing end only
PARENT holds: this process stays as a guardian and sends SIGNAL when the pipe closes. UID and GID -1: same user.
"""

import ctypes
import os
import signal
import sys
import threading

PR_SET_PDEATHSIG = 1


def main() -> None:
    parent, death_signal, pipe, uid, gid = (int(text) for text in sys.argv[1:6])
    program = sys.argv[6:]
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    if pipe >= 0:
        sys.exit(guard(pipe, death_signal, uid, gid, program))
    libc = ctypes.CDLL(None, use_errno=True)
    change_user(uid, gid)
    if libc.prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0) != 0:
        sys.exit(f"Cannot tie this process to its parent: {os.strerror(ctypes.get_errno())}")
    if os.getppid() != parent:
        sys.exit("The process that started this one has ended.")
    os.execv(program[0], program)  # noqa: S606


def change_user(uid: int, gid: int) -> None:
    if uid < 0:
        return
    try:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    except OSError as error:
        sys.exit(f"Cannot become user {uid}: {error.strerror}")


def guard(pipe: int, death_signal: int, uid: int, gid: int, program: list[str]) -> int:
    """Runs the program as a child and returns its exit status; hands on the signals it gets itself."""
    forwarded = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)
    signal.pthread_sigmask(signal.SIG_BLOCK, forwarded)
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, forwarded)
        os.close(pipe)
        change_user(uid, gid)
        os.execv(program[0], program)  # noqa: S606
    for number in forwarded:
        signal.signal(number, lambda received, _frame: os.kill(child, received))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, forwarded)
    threading.Thread(target=end_with_parent, args=(pipe, child, death_signal), daemon=True).start()
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def end_with_parent(pipe: int, child: int, death_signal: int) -> None:
    os.read(pipe, 1)
    os.kill(child, death_signal)


if __name__ == "__main__":
    main()
