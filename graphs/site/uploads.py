"""Ends uploads at MAX_IMPORT_BYTES, whatever their headers promised. First of FILE_UPLOAD_HANDLERS, for all forms."""

from typing import Any

from django.conf import settings
from django.core.files.uploadhandler import FileUploadHandler, StopUpload
from django.http import HttpRequest


class SizeLimit(FileUploadHandler):
    """Stops reading at the limit and leaves a mark that `was_too_big` finds."""

    def __init__(self, request: HttpRequest | None = None) -> None:
        super().__init__(request)
        self._received = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        self._received += len(raw_data)
        if self._received > settings.MAX_IMPORT_BYTES:
            assert self.request is not None
            self.request.upload_too_big = True  # type: ignore[attr-defined]
            raise StopUpload(connection_reset=True)
        return raw_data

    def file_complete(self, file_size: int) -> Any:
        return None


def was_too_big(request: HttpRequest) -> bool:
    """Whether the upload of this request was cut off. The answer is right once its files were read."""
    return getattr(request, "upload_too_big", False)
