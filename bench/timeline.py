"""How long the admin takes for a page of a conversation's event timeline. A process with the product's settings:

python -m bench.timeline SESSION LAST

It writes one line: {"what is asked for": [milliseconds]}.
"""

import json
import sys
import time
from typing import Any

import django

_TIMES = 7
_HOST = "127.0.0.1"


def pages(last: int) -> dict[str, dict[str, Any]]:
    """What is asked for, as query parameters. Ends of runs are rare, deltas are nearly everything."""
    return {
        "first page": {},
        "page in the middle": {"at": max(1, last // 2)},
        "last page": {"at": max(1, last - 499)},
        "ends of runs": {"type": "done", "at": max(1, last // 2)},
        "deltas": {"type": "content_delta", "at": max(1, last // 2)},
    }


def measure(session: str, last: int) -> dict[str, list[float]]:
    from django.contrib.auth.models import User
    from django.test import Client
    from django.urls import reverse

    client = Client()
    client.force_login(User.objects.get(username="demo"))
    address = reverse("admin:chat_session_events", args=[session])
    found: dict[str, list[float]] = {}
    for what, query in pages(last).items():
        for _ in range(_TIMES):
            began = time.perf_counter()
            answer = client.get(address, query, headers={"Host": _HOST})
            found.setdefault(what, []).append((time.perf_counter() - began) * 1000)
            assert answer.status_code == 200, answer.status_code
    return found


def main() -> None:
    django.setup()
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))


if __name__ == "__main__":
    main()
