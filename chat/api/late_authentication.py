"""Views that look at a token where they look at what the request is about (`chat.access.shown_tokens`)."""

from typing import Any

from django.contrib.auth.models import User
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from graphs.site.api.tokens import Claim, TokenRefused, read_claim, shown_in
from graphs.site.database_away import AWAY, took_too_long, waited_too_long


class LateAuthenticationView(APIView):
    """`claim` is that of a genuine access token until its person is known; without one all is as in other views.

    What fails until then is told only whom the token lets in: they are looked for as elsewhere. Only POST looks late.
    """

    claim: Claim | None = None

    def perform_authentication(self, request: Request) -> None:
        token = shown_in(request.headers.get("Authorization", "")) if request.method == "POST" else None
        try:
            self.claim = read_claim(token) if token is not None else None
        except TokenRefused:
            self.claim = None  # Who is refused is told so as everywhere.
        if self.claim is None:
            super().perform_authentication(request)

    def check_permissions(self, request: Request) -> None:
        if self.claim is None:
            super().check_permissions(request)

    def handle_exception(self, exc: Exception) -> Response:
        is_unknown, self.claim = self.claim is not None, None
        if is_unknown and not _nobody_can_be_looked_for(exc):
            try:
                self.check_permissions(self.request)
            except Exception as refused:  # Any: elsewhere it comes first.
                exc = refused
        return super().handle_exception(exc)

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        if self.claim is not None:
            raise RuntimeError("this would answer somebody of whom nobody knows who they are")
        return super().finalize_response(request, response, *args, **kwargs)

    def know(self, request: Request, user: User) -> None:
        """Tells the request whose token it shows."""
        request.user, request.auth = user, self.claim
        self.claim = None


def _nobody_can_be_looked_for(error: Exception) -> bool:
    """Whether the database is away, for which who asks has waited already."""
    return isinstance(error, AWAY) and not waited_too_long(error) and not took_too_long(error)
