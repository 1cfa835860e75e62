"""Finds the workspace that a request works in."""

import re

from django.contrib.auth.models import User
from django.http import HttpRequest
from rest_framework.request import Request

from graphs.site.access import Member, NotFound, member_of

_SLUG = re.compile(r"[-\w]{1,50}", re.ASCII)


def current_member(request: HttpRequest | Request) -> Member:
    """The person in the workspace of `X-Workspace` or `?workspace=`, else in their default; raises `NotFound`."""
    slug = request.headers.get("X-Workspace") or request.GET.get("workspace")
    return member_in(request, slug)


def member_in(request: HttpRequest | Request, slug: str | None) -> Member:
    """The person in the workspace of this slug, else in their default one; raises `NotFound`."""
    if slug and not _SLUG.fullmatch(slug):
        raise NotFound
    assert isinstance(request.user, User)
    return member_of(request.user, slug or None)
