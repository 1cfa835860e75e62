"""The account page: a person's password, language, and where they are signed in."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.models import User
from django.contrib.auth.views import LogoutView
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from graphs.models import SignIn
from graphs.site import sign_ins
from graphs.site.access import NotFound
from graphs.site.api import limits
from graphs.site.api.members import current_member
from graphs.site.pages import layout_of
from graphs.site.telemetry.events import emit

#: Sign-ins that are listed; "sign out everywhere else" ends the others, too.
MOST_LISTED = 100
LONGEST_PASSWORD = 4_096
#: How browsers and systems call themselves, the most particular first: most claim to be others, too.
_BROWSERS = ("Edg", "OPR", "Firefox", "Chrome", "Safari", "curl", "python-requests", "httpx", "Postman")
_SYSTEMS = ("Android", "iPhone", "iPad", "Windows", "Mac OS X", "Linux")
_NAMES = {"Edg": "Edge", "OPR": "Opera", "Mac OS X": "macOS"}


@dataclass(frozen=True, slots=True)
class ListedSignIn:
    row: SignIn
    device: str
    here: bool


class SignOut(LogoutView):
    """Signs out, and has the browser forget what its tabs kept: drafts, and which conversations were open."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = super().post(request, *args, **kwargs)
        response.headers["Clear-Site-Data"] = '"storage"'
        return response


@require_safe
@login_required
def account(request: HttpRequest) -> HttpResponse:
    return _page(request, PasswordChangeForm(_user(request)))


@require_POST
@login_required
def change_password(request: HttpRequest) -> HttpResponse:
    """Changes the password and ends all other sign-ins. Guessing the old one is limited like signing in."""
    user = _user(request)
    form = PasswordChangeForm(user, request.POST)
    if wait := limits.take("password", str(user.pk), settings.LIMIT_LOGIN):
        form.full_clean()
        form.add_error(None, limits.too_often(wait))
        refused = _page(request, form, status=429)
        refused.headers["Retry-After"] = limits.retry_after(wait)
        return refused
    if not form.is_valid():
        return _page(request, form, status=400)
    before = sign_ins.session_of(request)
    with transaction.atomic():
        form.save()
        update_session_auth_hash(request, user)
        sign_ins.move(user, before, request)
        sign_ins.end_others(user, sign_ins.session_of(request))
    emit("password_changed", user=user.pk)
    messages.success(request, _("The password is changed. You are signed out everywhere else."))
    return redirect("account")


@require_POST
@login_required
def end_sign_in(request: HttpRequest, sign_in: str) -> HttpResponse:
    if not _is_too_often(request) and _is_confirmed(request):
        sign_ins.end(_user(request), sign_in)
        messages.success(request, _("That sign-in is ended."))
    return redirect("account")


@require_POST
@login_required
def end_other_sign_ins(request: HttpRequest) -> HttpResponse:
    if not _is_too_often(request) and _is_confirmed(request):
        sign_ins.end_others(_user(request), sign_ins.session_of(request))
        messages.success(request, _("You are signed out everywhere else."))
    return redirect("account")


def _is_too_often(request: HttpRequest) -> bool:
    """Whether the person writes more than LIMIT_WRITES, which the page says then."""
    if wait := limits.take("writes", str(_user(request).pk), settings.LIMIT_WRITES):
        messages.error(request, limits.too_often(wait, "writes"))
    return bool(wait)


def _is_confirmed(request: HttpRequest) -> bool:
    """Whether the person gave their password again; else the page says why nobody was signed out.

    Guessing it is limited like signing in.
    """
    user = _user(request)
    if wait := limits.take("password", str(user.pk), settings.LIMIT_LOGIN):
        messages.error(request, limits.too_often(wait))
        return False
    if not user.check_password(request.POST.get("password", "")[:LONGEST_PASSWORD]):
        messages.error(request, _("The password is not right. Nobody was signed out."))
        return False
    return True


def _page(request: HttpRequest, form: PasswordChangeForm, status: int = 200) -> HttpResponse:
    """The page, also for who belongs to no workspace."""
    try:
        layout = layout_of(current_member(request))
    except NotFound:
        layout = {}
    here = sign_ins.session_of(request)
    rows = SignIn.objects.filter(user=_user(request))[:MOST_LISTED]
    listed = [ListedSignIn(row, _device(row.device), row.session == here != "") for row in rows]
    listed.sort(key=lambda each: not each.here)
    opened_at = f"{reverse('account')}{layout.get('here', '')}"
    context = {**layout, "form": form, "sign_ins": listed, "opened_at": opened_at}
    return render(request, "graphs/account.html", context, status=status)


def _device(agent: str) -> str:
    """ "Firefox, Linux" for what a browser says of itself; what a program says as it is, if short."""
    names = (next((name for name in known if name in agent), "") for known in (_BROWSERS, _SYSTEMS))
    return ", ".join(_NAMES.get(name, name) for name in names if name) or agent[:60] or _("unknown")


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
