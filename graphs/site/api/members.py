"""Finds the workspace that a request works in."""

from django.contrib.auth.models import User
from django.http import HttpRequest
from rest_framework.request import Request

from graphs.site.access import Member, member_of


def current_member(request: HttpRequest | Request) -> Member:
    """The person in the workspace of `X-Workspace` or `?workspace=`, else in their default; raises `NotFound`."""
    assert isinstance(request.user, User)
    return member_of(request.user, workspace_named(request))


def workspace_named(request: HttpRequest | Request) -> str | None:
    """The slug of the workspace that a request names; nothing where it is the person's default one."""
    return request.headers.get("X-Workspace") or request.GET.get("workspace")
