"""GET chat/sessions/{id}/export: a conversation as a file."""

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from chat.api import session_files
from chat.api.requests import session_to_read
from chat.queries.exported import Wanted
from graphs.api.sent_files import file_name, made_or_refused, sent_file, wanted_format
from graphs.site.api.parameters import truth

#: Formats of exports, with their media types.
FORMATS = {"json": "application/json", "md": "text/markdown; charset=utf-8", "pdf": "application/pdf"}


class SessionExportView(APIView):
    large_answer = True

    @extend_schema(
        operation_id="exportSession",
        parameters=[
            OpenApiParameter("format", str, required=True, enum=list(FORMATS)),
            OpenApiParameter("reasoning", bool, default=True, description="With what the model thought."),
            OpenApiParameter("tools", bool, default=True, description="With its calls of tools and their results."),
        ],
        responses={(200, media): OpenApiTypes.ANY for media in FORMATS.values()},
    )
    def get(self, request: Request, session_id: str) -> HttpResponseBase:
        """A conversation with all its messages as a file."""
        session, member = session_to_read(request, session_id)
        format_ = wanted_format(request, FORMATS)
        wanted = Wanted(truth(request, "reasoning", default=True), truth(request, "tools", default=True))
        file = made_or_refused(lambda: session_files.write(member, session, format_, wanted))
        return sent_file(file, f"{file_name(session.title, 'conversation')}.{format_}", FORMATS[format_])
