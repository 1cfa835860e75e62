"""Views that look at a token where they look at what the request is about (`chat.access.shown_tokens`)."""

from django.contrib.auth.models import User
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from graphs.site.api.tokens import Claim, TokenRefused, read_claim, shown_in


class LateAuthenticationView(APIView):
    """`claim` is that of a genuine access token until its person is known; without one all is as in other views.

    What fails until then is told only whom the token lets in: they are looked for as elsewhere.
    """

    claim: Claim | None = None

    def perform_authentication(self, request: Request) -> None:
        token = shown_in(request.headers.get("Authorization", ""))
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
        if self.claim is not None:
            self.claim = None
            try:
                self.check_permissions(self.request)
            except Exception as refused:  # Any: elsewhere it comes first.
                exc = refused
        return super().handle_exception(exc)

    def know(self, request: Request, user: User) -> None:
        """Tells the request whose token it shows."""
        request.user, request.auth = user, self.claim
        self.claim = None
