"""What all pages share: the person in their workspace, and the values that the layout needs."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from graphs.models import Workspace
from graphs.site import row_store
from graphs.site.access import Forbidden, Member, NotFound
from graphs.site.api.members import current_member
from graphs.site.api.problems import Problem

More = ParamSpec("More")
View = TypeVar("View", bound=Callable[..., HttpResponse])


def member_page(
    view: Callable[Concatenate[HttpRequest, Member, More], HttpResponse],
) -> Callable[Concatenate[HttpRequest, More], HttpResponse]:
    """Turns `view(request, member, ...)` into a page for members. Others are sent to sign in, or get a 404."""

    def guarded(request: HttpRequest, /, *args: More.args, **kwargs: More.kwargs) -> HttpResponse:
        try:
            return view(request, current_member(request), *args, **kwargs)
        except NotFound as error:
            raise Http404 from error
        except Forbidden as error:
            raise PermissionDenied from error

    return login_required(wraps(view)(guarded))


def searching(view: View) -> View:
    """Marks a page as one of the largest answers (`chat.web.large_answers`) where it is asked for by `?search=`."""
    vars(view)["large_answer"] = "search"
    return view


def render_page(
    request: HttpRequest, member: Member, template: str, context: Mapping[str, Any], status: int = 200
) -> HttpResponse:
    """A page with what the layout needs."""
    return render(request, template, {**layout_of(member), **context}, status=status)


def seconds_of(problem: Problem) -> int:
    """In how many seconds a refusal says to come again."""
    return int(problem.headers["Retry-After"])


def come_again(answer: HttpResponse, seconds: int | None) -> HttpResponse:
    """The page, which tells programs, too, in how many seconds to come again, if it says so."""
    if seconds is not None:
        answer.headers["Retry-After"] = str(seconds)
    return answer


#: Written out, as every page asks.
_WORKSPACES = f"""
SELECT {row_store.columns(Workspace, of="w")} FROM graphs_membership AS m JOIN graphs_workspace AS w
ON w.id = m.workspace_id WHERE m.user_id = %s ORDER BY m.created_at, m.id
"""  # noqa: S608 - what is inserted are names of columns


def layout_of(member: Member) -> dict[str, Any]:
    """What the layout needs: `member`, `workspaces`, and `here`, which keeps addresses in the workspace."""
    workspaces = [workspace for workspace, _more in row_store.read(Workspace, _WORKSPACES, [member.user.pk])]
    here = "" if workspaces[:1] == [member.workspace] else f"?workspace={member.workspace.slug}"
    return {"member": member, "workspaces": workspaces, "here": here}


def asked_without(request: HttpRequest, *names: str) -> str:
    """The query of the address, behind its "?", without what these names ask for."""
    query = request.GET.copy()
    for name in names:
        query.pop(name, None)
    return f"?{query.urlencode()}" if query else ""
