"""chainlit with its PostgreSQL layer, as a system beside ours: it runs in an environment outside this project.

It signs nobody in, retrieves nothing, has no budgets, and stores a question and its answer after they were shown.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from bench import systems
from bench.servers import Servers, without_settings_of_people
from bench.systems import System

NAME = "chainlit"
_APP = Path(__file__).parent / "chainlit_app.py"
#: Asked of the metadata: a chainlit that is imported writes its settings into the folder where one stands.
_INSTALLED = (
    "from importlib.metadata import version; version('greenlet'); "
    "print(*(f'{name} {version(name)}' for name in ('chainlit', 'SQLAlchemy', 'asyncpg', 'openai')), sep=', ')"
)
HOW_TO_MAKE = """chainlit is not installed in {folder}. Make an environment for it, outside this project:

    python3 -m venv {folder}
    {folder}/bin/pip install chainlit==2.12.0 'sqlalchemy[asyncio]' asyncpg openai
"""
#: As chainlit's documentation gives them for this layer, with the columns that came since.
_TABLES = """
CREATE TABLE users (
    "id" UUID PRIMARY KEY, "identifier" TEXT NOT NULL UNIQUE, "metadata" JSONB NOT NULL, "createdAt" TEXT
);
CREATE TABLE threads (
    "id" UUID PRIMARY KEY, "createdAt" TEXT, "name" TEXT, "userId" UUID REFERENCES users("id") ON DELETE CASCADE,
    "userIdentifier" TEXT, "tags" TEXT[], "metadata" JSONB
);
CREATE TABLE steps (
    "id" UUID PRIMARY KEY, "name" TEXT NOT NULL, "type" TEXT NOT NULL,
    "threadId" UUID NOT NULL REFERENCES threads("id") ON DELETE CASCADE, "parentId" UUID, "streaming" BOOLEAN NOT NULL,
    "waitForAnswer" BOOLEAN, "isError" BOOLEAN, "metadata" JSONB, "tags" TEXT[], "input" TEXT, "output" TEXT,
    "createdAt" TEXT, "command" TEXT, "modes" JSONB, "start" TEXT, "end" TEXT, "generation" JSONB, "showInput" TEXT,
    "language" TEXT, "indent" INT, "defaultOpen" BOOLEAN, "autoCollapse" BOOLEAN, "icon" TEXT
);
CREATE TABLE elements (
    "id" UUID PRIMARY KEY, "threadId" UUID REFERENCES threads("id") ON DELETE CASCADE, "type" TEXT, "url" TEXT,
    "chainlitKey" TEXT, "name" TEXT NOT NULL, "display" TEXT, "objectKey" TEXT, "size" TEXT, "page" INT,
    "language" TEXT, "forId" UUID, "mime" TEXT, "props" JSONB
);
CREATE TABLE feedbacks ("id" UUID PRIMARY KEY, "forId" UUID NOT NULL, "value" INT NOT NULL, "comment" TEXT);
"""
_STORED = "SELECT count(*) FROM steps WHERE type = 'assistant_message' AND output <> ''"


def installed(folder: Path) -> str:
    """The versions that are installed there. Raises SystemExit with what to do where chainlit is not."""
    python = folder / "bin" / "python"
    command = [str(python), "-c", _INSTALLED]
    found = subprocess.run(command, capture_output=True, text=True, check=False) if python.exists() else None
    if found is None or found.returncode:
        raise SystemExit(HOW_TO_MAKE.format(folder=folder))
    return found.stdout.strip()


@contextmanager
def chainlit(servers: Servers, vendor: str, folder: Path) -> Iterator[System]:
    """The app, on a database of its own. Raises RuntimeError at its end if no answer was stored."""
    database = servers.another_database(NAME)
    with tempfile.TemporaryDirectory() as root, psycopg.connect(database, autocommit=True) as connection:
        connection.execute(_TABLES)
        shutil.copy(_APP, root)  # what lies beside an app can be imported by it
        variables = without_settings_of_people() | {
            "PYTHONPATH": "", "CHAINLIT_APP_ROOT": root,
            "BENCH_VENDOR": vendor, "BENCH_DATABASE": for_asyncpg(database),
        }  # fmt: skip
        port = systems.free_port()
        arguments = ["run", _APP.name, "--headless", "--port", str(port)]
        python = str((folder / "bin" / "python").absolute())
        with systems.started("chainlit", arguments, variables, root=Path(root), python=python) as process:
            systems.wait_for(port)
            yield System(NAME, process, port, NAME)
        row = connection.execute(_STORED).fetchone()
        if not row or not row[0]:
            raise RuntimeError("chainlit stored no answer: its tables are not those that this version writes")


def for_asyncpg(database_url: str) -> str:
    """The same address as SQLAlchemy's engine with asyncpg reads it."""
    return urlsplit(database_url)._replace(scheme="postgresql+asyncpg").geturl()
