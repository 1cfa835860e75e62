"""A worker's process that does one task, and kills itself at a place of its code that a test orders.

python -m tests.faults.crashing_task chat.tasks:expire_proposals
"""

import importlib
import sys

from tests.shop.installed import begin


def main() -> None:
    begin()
    from tests.faults.crashing import wrap_calls, wrap_statements, wrap_transactions

    wrap_transactions()
    wrap_statements()
    wrap_calls()
    module, _, name = sys.argv[1].partition(":")
    getattr(importlib.import_module(module), name)()


if __name__ == "__main__":
    main()
