"""The demo company with its folders and use cases, from a file for each language. `seed_demo` imports them."""

import json
from pathlib import Path
from typing import Any, Literal

from graphs.history.outside import catch_up
from graphs.models import Company, Folder, UseCase, Workspace
from graphs.models.records import Record
from graphs.objects.headers import header_of
from graphs.records.kinds import COMPANY, FOLDER, USE_CASE

_FILES = Path(__file__).parent
_KINDS = {kind.model: kind for kind in (COMPANY, FOLDER, USE_CASE)}

Language = Literal["en", "fr"]
LANGUAGES: tuple[Language, ...] = ("en", "fr")


def import_demo_records(workspace: Workspace, language: Language = "en") -> Company:
    """The company of the demo, with its folders and use cases; the history of each begins with the import."""
    file: dict[str, Any] = json.loads((_FILES / f"northwind.{language}.json").read_bytes())
    company = Company(workspace=workspace, **file["company"])
    _save(company)
    for described in file["folders"]:
        cases = described.pop("useCases")
        folder = Folder(workspace=workspace, company=company, **described)
        _save(folder)
        for case in cases:
            _save(UseCase(workspace=workspace, folder=folder, **case))
    return company


def _save(record: Record) -> None:
    record.full_clean()
    record.save()
    catch_up([header_of(_KINDS[type(record)], record.workspace_id, record)])
