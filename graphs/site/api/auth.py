"""POST auth/token, auth/token/refresh and auth/token/revoke."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from pydantic import Field
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from graphs.site import login_limit, sign_in_events, sign_ins
from graphs.site.api import tokens
from graphs.site.api.bodies import Body, read_body
from graphs.site.api.openapi import problems
from graphs.site.api.problems import Problem


class Credentials(Body):
    username: Annotated[str, Field(min_length=1, max_length=150)]
    password: Annotated[str, Field(min_length=1, max_length=4096)]


class Renewal(Body):
    refresh: Annotated[str, Field(min_length=1, max_length=4096)]


class TokenView(APIView):
    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="createToken", request=Credentials, responses={200: tokens.TokenPair, **problems(429)}, auth=[]
    )
    def post(self, request: Request) -> Response:
        """Exchange a username and a password for tokens: `access` for 15 minutes, `refresh` for 7 days."""
        body = read_body(request, Credentials)
        login_limit.require(request, body.username)
        user = authenticate(request._request, username=body.username, password=body.password)
        if not isinstance(user, User):
            raise _refused(_("The username or the password is not right."), "wrong_credentials")
        sign_in_events.signed_in(request._request, user, "program")
        return Response(sign_ins.begin(user, request.headers.get("User-Agent", "")).model_dump())


class RefreshView(APIView):
    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(operation_id="refreshToken", request=Renewal, responses={200: tokens.TokenPair}, auth=[])
    def post(self, request: Request) -> Response:
        """Exchange a refresh token for new tokens. It counts once: to use it again ends the sign-in."""
        login_limit.require_of_address(request)
        with _as_problem():
            return Response(sign_ins.renew(read_body(request, Renewal).refresh).model_dump())


class RevokeView(APIView):
    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(operation_id="revokeToken", request=Renewal, responses={204: None}, auth=[])
    def post(self, request: Request) -> Response:
        """Sign out: the refresh token and all tokens made of it count no longer."""
        login_limit.require_of_address(request)
        with _as_problem():
            sign_ins.revoke(read_body(request, Renewal).refresh)
        return Response(status=204)


@contextmanager
def _as_problem() -> Iterator[None]:
    try:
        yield
    except tokens.TokenRefused as error:
        sentence = _("The refresh token is not valid or has expired. Sign in again.")
        raise _refused(sentence, "authentication_failed") from error


def _refused(sentence: str, code: str) -> Problem:
    return Problem(401, code, sentence, headers={"WWW-Authenticate": 'Bearer realm="api"'})
