"""How much memory there is for PostgreSQL to keep its data in. Called by `config.postgres`."""

import os
from pathlib import Path

#: What a container may take, where it says so: an amount in bytes, or a word.
LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
#: PostgreSQL's usual, and what the indexes of a graph of a million nodes need.
LEAST_MB = 128
MOST_MB = 2_048
#: PostgreSQL shares the machine with everything else: its manual speaks of a quarter where it is alone. It takes memory
#: only as it reads.
PART = 8


def shared_buffers() -> str:
    """The setting of that name."""
    return f"{max(LEAST_MB, min(MOST_MB, allowed_bytes() // PART // 2**20))}MB"


def allowed_bytes() -> int:
    """The machine's memory, or what its container allows where that is less."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([machine, *(int(limit) for limit in map(_read, LIMITS) if limit.isdigit())])


def _read(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return ""
