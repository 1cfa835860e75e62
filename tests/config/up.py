"""`manage.py up` with the stand-in for the web server; run by path, with the options of `up`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    import manage
    from config import processes

    processes.WEB_MODULE, processes.LOADED = "tests.config.stand_in_server", "json"
    sys.argv.insert(1, "up")
    manage.main()
