"""Answers where no view answered: pages for browsers, and problem documents below /api/."""

import sys
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.deprecation import MiddlewareMixin
from django.views.decorators.csrf import csrf_exempt

from graphs.site.api.problems import Problem, not_found, plain_response, problem_of
from graphs.site.database_away import AWAY


@csrf_exempt
def unknown_api_path(_request: HttpRequest, **_parts: str) -> HttpResponse:
    return plain_response(not_found())


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, problem_of(exception), "400.html")


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, problem_of(exception), "403.html")


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, not_found(), "404.html")


def server_error(request: HttpRequest) -> HttpResponse:
    """Answers an error of ours. The template does not get the request, as finding the person may fail again."""
    error = sys.exc_info()[1]
    return failed(request, problem_of(error if isinstance(error, Exception) else Exception()))


class DatabaseAwayMiddleware(MiddlewareMixin):
    """Answers 503 if the database was away in a view, and 429 if somebody held for too long what it changes."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return failed(request, problem_of(exception)) if isinstance(exception, AWAY) else None


class FormAddressMiddleware(MiddlewareMixin):
    """Tells who opens an address that only takes a form, after signing in again say, that it does."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if not isinstance(response, HttpResponseNotAllowed) or _is_api(request) or "GET" in response.headers["Allow"]:
            return response
        page = render(request, "405.html", status=response.status_code)
        page.headers["Allow"] = response.headers["Allow"]
        return page


def failed(request: HttpRequest, problem: Problem) -> HttpResponse:
    """Answers a failure that the person did not cause."""
    if _is_api(request):
        return plain_response(problem)
    return HttpResponse(page_of(problem), status=problem.status, headers=dict(problem.headers))


def page_of(problem: Problem) -> str:
    """A page that tells a problem, and needs neither the person nor a request."""
    return render_to_string("500.html", {"problem": problem})


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return _answer(request, Problem(HTTPStatus.FORBIDDEN, "csrf", reason), "403_csrf.html")


def throttled(request: HttpRequest, problem: Problem) -> HttpResponse:
    """Says to who does something too often how long to wait."""
    answer = _answer(request, problem, "429.html")
    for name, value in problem.headers.items():
        answer.headers[name] = value
    return answer


def _answer(request: HttpRequest, problem: Problem, template: str) -> HttpResponse:
    if _is_api(request):
        return plain_response(problem)
    return render(request, template, {"problem": problem}, status=problem.status)


def _is_api(request: HttpRequest) -> bool:
    return request.path_info.startswith("/api/")
