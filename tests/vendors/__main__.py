"""`python -m tests.vendors --port 9001`: the scripted vendor as a process of its own."""

import argparse
import sys

from tests.vendors.server import VendorServer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    port = parser.parse_args().port
    sys.stdout.write(f"Vendor: http://127.0.0.1:{port}\n")
    sys.stdout.flush()
    VendorServer(port).serve_until_stopped()


if __name__ == "__main__":
    main()
