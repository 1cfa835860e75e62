"""A web process of a project with an application of its own, the shop of the tests, whose rows are objects with pages.

python -m tests.faults.selling --fd N daphne      (arguments of `chat.web.server`, which it runs)
"""

import sys

from tests.shop.installed import begin


def main() -> int:
    from chat.web.server import main as serve  # installs Twisted's reactor, so before everything else

    begin()
    return serve(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
