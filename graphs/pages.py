"""What all pages share: the person in their workspace, and what the layout shows of them."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from graphs.access import Forbidden, Member, NotFound, member_of
from graphs.api.members import member_in
from graphs.models import Membership

SESSION_KEY = "workspace"
More = ParamSpec("More")


def member_page(
    view: Callable[Concatenate[HttpRequest, Member, More], HttpResponse],
) -> Callable[Concatenate[HttpRequest, More], HttpResponse]:
    """A page for members: `view(request, member, ...)`. Others are sent to sign in, or see that there is nothing."""

    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, *args: More.args, **kwargs: More.kwargs) -> HttpResponse:
        try:
            return view(request, _member(request), *args, **kwargs)
        except NotFound as error:
            raise Http404 from error
        except Forbidden as error:
            raise PermissionDenied from error

    return guarded


def render_page(
    request: HttpRequest, member: Member, template: str, context: Mapping[str, Any], status: int = 200
) -> HttpResponse:
    """A page with what the layout needs: `member`, and `workspaces` for the switcher."""
    memberships = Membership.objects.filter(user=member.user).select_related("workspace")
    layout = {"member": member, "workspaces": [membership.workspace for membership in memberships]}
    return render(request, template, {**layout, **context}, status=status)


def _member(request: HttpRequest) -> Member:
    """In the workspace of `?workspace=`, else in the one last switched to, else in the default."""
    asked = request.GET.get("workspace")
    if asked:
        return member_in(request, asked)
    try:
        return member_in(request, request.session.get(SESSION_KEY))
    except NotFound:
        return member_of(request.user)  # type: ignore[arg-type]
