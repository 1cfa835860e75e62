"""Records the wire anew: `.venv/bin/python -m tests.wire.record [-k CHAPTER]`.

Look at the difference before you commit it: each line of it is one that clients see.
"""

import os
import sys

import pytest

if __name__ == "__main__":
    os.environ["RECORD_WIRE"] = "1"
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "tests/wire/test_wire.py", *sys.argv[1:]]))
