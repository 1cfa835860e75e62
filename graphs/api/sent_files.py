"""What the doors of exports share: the format that is asked for, and a file that is sent part by part."""

from collections.abc import AsyncIterator, Callable, Mapping
from typing import IO

from django.http import StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from rest_framework.request import Request

from graphs.pdf.making import NotMade
from graphs.site.api.problems import Problem, invalid

#: Bytes of a file that are sent at once.
PART = 65_536


def wanted_format(request: Request, formats: Mapping[str, str]) -> str:
    """The format that the address names. Raises `Problem` 400 for none of these."""
    format_ = request.GET.get("format", "")
    if format_ not in formats:
        raise invalid("format", _("“format” is one of: %(names)s.") % {"names": ", ".join(formats)})
    return format_


def made_or_refused(make: Callable[[], IO[bytes]]) -> IO[bytes]:
    """The file that is made. Raises `Problem` 503 where there is no PDF."""
    try:
        return make()
    except NotMade as error:
        detail = _("The PDF could not be made now. Try again in a moment, or choose another format.")
        raise Problem(503, "unavailable", detail, headers={"Retry-After": "5"}) from error


def file_name(title: str, without: str) -> str:
    """A title as a file may be called everywhere; `without` where nothing is left of it."""
    kept = "".join(letter if letter.isalnum() or letter in " -_." else " " for letter in title)
    return " ".join(kept.split())[:100].strip(" .") or without


def sent_file(file: IO[bytes], name: str, media: str) -> StreamingHttpResponse:
    """The answer that a browser stores under this name."""
    headers = {"Content-Disposition": content_disposition_header(True, name) or "", "Cache-Control": "no-store"}
    return StreamingHttpResponse(_parts(file), content_type=media, headers=headers)


async def _parts(file: IO[bytes]) -> AsyncIterator[bytes]:
    with file:
        while part := file.read(PART):
            yield part
