"""A vendor of models on this machine: a real HTTP server that speaks both wire formats and does what a script says.

In a test:

    with VendorServer() as vendor:
        vendor.script(Script(text="Hello"))                    # the next request
        vendor.script(Script(status=429), Script(text="now"))  # the two after that
        config = ...base_url=vendor.openai_url or vendor.anthropic_url
        ...
        vendor.requests[0].body["messages"]; vendor.requests[0].disconnected.wait(2)

As a process of its own, for tests of the whole product: `python -m tests.vendors --port 9001`, the product with
`OPENAI_API_KEY=test OPENAI_BASE_URL=http://127.0.0.1:9001/v1` (or `ANTHROPIC_BASE_URL=http://127.0.0.1:9001`). It is
driven by what the user writes: `SCRIPT:rate_limit` takes a scenario by name (`tests/vendors/scenarios.py` lists them),
`SCRIPT={"text": "Hello", "delay_s": 0.1}` gives a script in place (fields of `Script`; a list of them is one for each
round of tools). `GET /requests` shows what came, `POST /scripts` queues scripts, `POST /reset` forgets both.

A request that breaks a rule of its vendor (`rules.py`) gets that vendor's 400 instead of a script.

Which script answers a request: the queue first, then what `answers` holds for the end of the user's last message (one
script for each round of tools), then what that message names, then an echo of it.
"""

from tests.vendors.scripts import Script, ScriptedCall
from tests.vendors.server import RecordedRequest, VendorServer

__all__ = ["RecordedRequest", "Script", "ScriptedCall", "VendorServer"]
