"""How these tests ask the doors of objects."""

from typing import Any

from django.test import Client

from graphs.models.records import Record
from tests.graphs.api.callers import post_json

API = "/api/v1/objects"
TYPES = {"Company": "company", "Folder": "folder", "UseCase": "usecase"}


def name_of(record: Record) -> str:
    """`type:id`."""
    return f"{TYPES[type(record).__name__]}:{record.pk}"


def path_of(record: Record) -> str:
    return f"{API}/{name_of(record).replace(':', '/')}"


def change(client: Client, record: Record, action: str, **arguments: Any) -> Any:
    return post_json(client, f"{path_of(record)}/changes", {"actions": [{"action": action, "arguments": arguments}]})


def update(client: Client, record: Record, **updates: Any) -> Any:
    return change(client, record, "update_object", updates=updates)


def create(client: Client, type_: str, parent: Record | None = None, **fields: Any) -> Any:
    held = {"parent": name_of(parent)} if parent else {}
    return post_json(client, f"{API}/{type_}", {"fields": fields, **held})
