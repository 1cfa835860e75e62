"""Every error of the API as a problem document (RFC 9457), of `Problem` or of what `access` raises."""

import logging
import uuid
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, JsonResponse
from django.http.multipartparser import MultiPartParserError
from django.utils.translation import gettext as _
from rest_framework import exceptions
from rest_framework.response import Response

from graphs.site.access import Forbidden, NotFound
from graphs.site.database_away import AWAY, took_too_long, waited_too_long
from graphs.site.json_input import BadJSON
from graphs.site.preview_places import PreviewEnded, TooManyPreviews
from graphs.site.search_time import TooMuchToSearch
from graphs.site.stored_json import UnknownVersion

MEDIA_TYPE = "application/problem+json"
Errors = Mapping[str, Sequence[str]]

logger = logging.getLogger("countersign.api")


class Problem(Exception):
    """An answer that is not what was asked for: `code` for programs, `detail` for people, `errors` by field."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        errors: Errors | None = None,
        extra: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = errors
        self.extra = extra or {}
        self.headers = headers or {}

    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
        }
        if self.errors:
            document["errors"] = {field: list(sentences) for field, sentences in self.errors.items()}
        return document | dict(self.extra)


def problem_response(exc: Exception, context: dict[str, Any]) -> Response:
    """Answers an exception of a view; the exception handler of Django REST framework."""
    wrong_type = isinstance(exc, exceptions.UnsupportedMediaType)
    problem = _unread(context["view"]) if wrong_type else problem_of(exc)
    return Response(problem.document(), status=problem.status, headers=problem.headers, content_type=MEDIA_TYPE)


def plain_response(problem: Problem) -> JsonResponse:
    """Answers a problem where Django REST framework is not in charge."""
    return JsonResponse(
        problem.document(),
        status=problem.status,
        headers=dict(problem.headers),
        content_type=MEDIA_TYPE,
        json_dumps_params={"ensure_ascii": False, "separators": (",", ":")},
    )


def problem_of(exc: Exception) -> Problem:
    """The problem that an exception stands for. An unknown exception is logged, and its contents are kept back."""
    if isinstance(exc, Problem):
        return exc
    for class_, make in _MAKERS:
        if isinstance(exc, class_):
            return make(exc)
    return unexpected(exc)


def not_found() -> Problem:
    """The one answer for things that do not exist and for things of somebody else."""
    return Problem(404, "not_found", _("There is nothing here, or it is not open to you."))


def invalid(field: str, sentence: str) -> Problem:
    """The problem of one wrong field; the sentence says what would be right."""
    return Problem(400, "validation", sentence, errors={field: [sentence]})


def invalid_fields(errors: Errors) -> Problem:
    """The problem of several wrong fields; `errors` has the sentences of each."""
    return Problem(400, "validation", _("Some fields are not right; see “errors”."), errors=errors)


def unavailable() -> Problem:
    """The problem of a database that is away for a while."""
    return _later(503, "unavailable", _("The database does not answer at the moment. Try again."), seconds=5)


def too_many_large_answers() -> Problem:
    """The problem of who found no place for an answer that takes much to make."""
    return _later(429, "throttled", _("Too many large answers at once. Try again in a moment."), seconds=5)


def restarting() -> Problem:
    """The problem of who asks for much while the process ends; another one answers."""
    return _later(503, "unavailable", _("The server restarts. Try again in a moment."), seconds=5)


def preview_ended(ended: PreviewEnded) -> Problem:
    """The problem of a preview that was given up."""
    if ended.process_ends:
        return restarting()
    sentence = _(
        "Finding out what this would change took over a minute and was given up. Nothing was changed. Try again when "
        "less is going on here, or with less at once."
    )
    return _later(503, "unavailable", sentence, seconds=60)


def too_much_to_search() -> Problem:
    """The problem of a search that would take longer than one may."""
    sentence = _("There is too much to look through. Search for fewer or longer words, or in less.")
    return Problem(400, "too_much_to_search", sentence)


def busy() -> Problem:
    """The problem of who waited long enough for what somebody else is saving."""
    sentence = _(
        "Something that takes long is being saved here, such as an import of many rows. Nothing of yours was changed. "
        "Try again in a moment."
    )
    return _later(429, "busy", sentence, seconds=10)


def gave_up() -> Problem:
    """The problem of what the database could not do in the time that a statement has."""
    sentence = _("This took the database too long. Nothing was changed. Try again in a moment.")
    return _later(503, "unavailable", sentence, seconds=10)


def _later(status: int, code: str, sentence: str, *, seconds: int) -> Problem:
    """The problem of what nothing is wrong with but the time."""
    return Problem(status, code, sentence, headers={"Retry-After": str(seconds)})


def bad_request() -> Problem:
    return Problem(400, "bad_request", _("The request cannot be understood."))


def too_big() -> Problem:
    return Problem(413, "too_big", _("The request is bigger than this address accepts."))


def unexpected(exc: BaseException | None) -> Problem:
    """Logs an error of ours under a reference; the problem holds nothing but that reference."""
    reference = uuid.uuid4()
    logger.error("Unexpected error %s", reference, exc_info=exc or True)
    detail = _("Something went wrong on the server. It was logged as %(reference)s.") % {"reference": reference}
    return Problem(500, "internal", detail, extra={"instance": f"urn:uuid:{reference}"})


def _of_database(exc: Exception) -> Problem:
    if waited_too_long(exc):
        return busy()
    return gave_up() if took_too_long(exc) else unavailable()


def _newer_version(exc: Exception) -> Problem:
    """The problem of what a newer process has written, during an update."""
    logger.error("Not read: %s", exc)
    sentence = _("This was stored by a newer version of the program. Try again when the update is complete.")
    return _later(503, "unavailable", sentence, seconds=30)


def _anonymous(exc: Any) -> Problem:
    detail = _("Sign in, or send a token with “Authorization: Bearer”. POST /api/v1/auth/token gives one.")
    return Problem(401, "not_authenticated", detail, headers=_challenge(exc))


def _unread(view: Any) -> Problem:
    types = ", ".join(parser.media_type for parser in view.parser_classes)
    sentence = _("Say in the header Content-Type what the body is. Read here: {types}.").format(types=types)
    return Problem(415, "unsupported_media_type", sentence)


def _from_framework(exc: Any) -> Problem:
    headers = _challenge(exc)
    if getattr(exc, "wait", None):
        headers["Retry-After"] = str(int(exc.wait))
    code = next((name for class_, name in _CODES.items() if isinstance(exc, class_)), exc.default_code)
    return Problem(exc.status_code, code, _sentence(exc.detail), _errors_of(exc), headers=headers)


def _challenge(exc: exceptions.APIException) -> dict[str, str]:
    header = getattr(exc, "auth_header", None)
    return {"WWW-Authenticate": header} if header else {}


def _sentence(detail: Any) -> str:
    if isinstance(detail, dict) and "detail" in detail:
        return str(detail["detail"])
    if isinstance(detail, dict | list):
        return _("Some fields are not right; see “errors”.")
    return str(detail)


def _errors_of(exc: exceptions.APIException) -> Errors | None:
    if not isinstance(exc, exceptions.ValidationError):
        return None
    if isinstance(exc.detail, dict):
        return {str(field): _sentences(found) for field, found in exc.detail.items()}
    return {"body": _sentences(exc.detail)}


def _sentences(found: Any) -> list[str]:
    return [str(sentence) for sentence in found] if isinstance(found, list) else [str(found)]


#: Codes of ours where those of Django REST framework are others.
_CODES = {
    exceptions.ParseError: "bad_request",
    exceptions.ValidationError: "validation",
    exceptions.PermissionDenied: "forbidden",
}
_MAKERS: list[tuple[type[Exception] | tuple[type[Exception], ...], Callable[[Any], Problem]]] = [
    ((NotFound, Http404, exceptions.NotFound), lambda _exc: not_found()),
    (
        (Forbidden, PermissionDenied),
        lambda _exc: Problem(403, "forbidden", _("Your role in this workspace does not allow this.")),
    ),
    (BadJSON, lambda exc: Problem(400, "bad_json", exc.message)),
    (RequestDataTooBig, lambda _exc: too_big()),
    (
        (SuspiciousOperation, BadRequest, MultiPartParserError),
        lambda _exc: bad_request(),
    ),
    (AWAY, _of_database),
    (TooMuchToSearch, lambda _exc: too_much_to_search()),
    (TooManyPreviews, lambda _exc: too_many_large_answers()),
    (PreviewEnded, preview_ended),
    (UnknownVersion, _newer_version),
    (exceptions.NotAuthenticated, _anonymous),
    (exceptions.APIException, _from_framework),
]
