"""Reads JSON bodies for Django REST framework. All views use it, through the settings."""

from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from rest_framework.parsers import BaseParser

from graphs.site.api.problems import too_big
from graphs.site.json_input import parse_json


class StrictJSONParser(BaseParser):
    """Parses by `parse_json`. Raises `BadJSON`, and 413 for more than DATA_UPLOAD_MAX_MEMORY_SIZE bytes."""

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        body = stream.read(limit + 1)
        if len(body) > limit:
            raise too_big()
        return parse_json(body)
