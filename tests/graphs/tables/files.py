"""Files of tests, sent to the doors of objects."""

import io
import json
from collections.abc import Sequence
from typing import Any

from asgiref.sync import async_to_sync
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import StreamingHttpResponse
from django.test import Client
from xlsxwriter import Workbook

API = "/api/v1/objects"


def send(client: Client, data: bytes | str, kind: str = "product", **fields: str) -> Any:
    content = data.encode() if isinstance(data, str) else data
    return client.post(f"{API}/{kind}/import", {**fields, "file": SimpleUploadedFile("rows", content)})


def preview(client: Client, data: bytes | str, kind: str = "product") -> dict[str, Any]:
    answer = send(client, data, kind, preview="true")
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


def exported(client: Client, format_: str = "csv", kind: str = "product", **filters: str) -> bytes:
    answer = client.get(f"{API}/{kind}/export", {"format": format_, **filters})
    assert answer.status_code == 200, answer.content
    assert isinstance(answer, StreamingHttpResponse)

    async def read() -> bytes:
        return b"".join([part async for part in answer])

    return async_to_sync(read)()


def as_objects(data: bytes) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(data)
    return found


def xlsx(rows: Sequence[Sequence[Any]], **options: Any) -> bytes:
    file = io.BytesIO()
    with Workbook(file, options) as book:
        sheet = book.add_worksheet()
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, row)
    return file.getvalue()
