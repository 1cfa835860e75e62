"""The pages of graphs, and signing in."""

import json
import math
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from graphs.history import queries
from graphs.models import Object
from graphs.objects.refs import Ref
from graphs.objects.word_search import MOST_WORDS, words_of
from graphs.record_lists import LISTS
from graphs.records import listing as records
from graphs.site import search_time
from graphs.site.access import Member, NotFound, member_of, or_not_found
from graphs.site.api import limits
from graphs.site.api.paging import Page, page_of
from graphs.site.api.problems import Problem, busy, too_much_to_search
from graphs.site.database_away import AWAY, waited_too_long
from graphs.site.imports_under_way import ImportStopped
from graphs.site.login_limit import LimitedLoginForm
from graphs.site.pages import asked_without, come_again, member_page, render_page, searching, seconds_of
from graphs.site.readable_json import readable
from graphs.site.search_time import TooMuchToSearch
from graphs.site.uploads import was_too_big
from graphs.workflows import listing, trust
from graphs.workflows.import_form import ImportForm, explain
from graphs.workflows.imports import ImportedGraph
from graphs.workflows.interchange.refusals import ImportRefused
from graphs.workflows.keys import KeyInvalid, KeyTaken, free_key
from graphs.workflows.kinds import NODE_TYPE
from graphs.workflows.listing import graph_for
from graphs.workflows.node_types import custom_types
from graphs.workflows.store import GRAPH

GRAPHS_PER_PAGE = 25
#: Node types that the list says wait to be looked through.
TYPES_SHOWN = 10


class LoginPage(LoginView):
    form_class = LimitedLoginForm
    redirect_authenticated_user = True

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_invalid(form)
        if form.has_error("__all__", "throttled"):
            assert isinstance(form, LimitedLoginForm)
            response.status_code = 429
            response.headers["Retry-After"] = str(math.ceil(form.retry_after))
        return response


@searching
@require_safe
@login_required
def home(request: HttpRequest) -> HttpResponse:
    """The graphs of the workspace; for who belongs to no workspace, a page that says so."""
    try:
        assert isinstance(request.user, User)
        member_of(request.user)
    except NotFound:
        return render(request, "graphs/no_workspace.html")
    return _graph_list(request)


@member_page
def _graph_list(request: HttpRequest, member: Member) -> HttpResponse:
    words, refused = words_of(request.GET.get("search", "")), ""
    search = " ".join(words[:MOST_WORDS])
    graphs = listing.matching(member.workspace, search)
    try:
        with search_time.bounded(bool(search)):
            page = page_of(graphs, listing.ORDERING, request.GET.get("cursor"), GRAPHS_PER_PAGE)
    except TooMuchToSearch:
        page, refused = Page([], None, None), too_much_to_search().detail
    except Problem:
        return redirect(f"{reverse('home')}{asked_without(request, 'cursor')}")
    waiting = list(trust.waiting_alone(member.workspace)[: TYPES_SHOWN + 1])
    context = {"graphs": listing.with_sizes(page.rows), "page": page, "search": search}
    context |= {"refused": refused, "most_words": MOST_WORDS if len(words) > MOST_WORDS else None}
    context |= {"waiting": waiting[:TYPES_SHOWN], "more_waiting": len(waiting) > TYPES_SHOWN}
    if not search and not request.GET.get("cursor"):
        counts = records.counted(member.workspace)
        context |= {
            "latest": records.latest(member.workspace),
            "counts": [(kind, LISTS[kind.name], counts[kind.name]) for kind in records.KINDS_OF_RECORDS],
        }
    return render_page(request, member, "graphs/list.html", context, status=400 if refused else 200)


@require_safe
@member_page
def graph_detail(request: HttpRequest, member: Member, key: str) -> HttpResponse:
    try:
        graph = graph_for(member, key)
    except NotFound:
        return _deleted_graph(request, member, key)
    graph.workspace = member.workspace
    tab = "history" if request.GET.get("tab") == "history" else "drawing"
    fields = {field.name: str(field.label) for kind in (GRAPH, *GRAPH.parts) for field in kind.fields}
    context = {"sized": listing.with_sizes([graph])[0], "graph": graph, "fields": json.dumps(fields), "tab": tab}
    return render_page(request, member, "graphs/detail.html", context)


def _deleted_graph(request: HttpRequest, member: Member, key: str) -> HttpResponse:
    """Says of a graph that only the history has who deleted it, with an undo for editors. Else raises `NotFound`."""
    last = queries.deletion(member.workspace.pk, Ref(GRAPH.name, key))
    context = {"key": key, "title": last.label or key, "deletion": last.change_set}
    return render_page(request, member, "graphs/deleted.html", context, status=404)


@require_POST
@member_page
def trust_graph(request: HttpRequest, member: Member, key: str) -> HttpResponse:
    _looked_through(request, member, graph_for(member, key))
    return redirect(f"{reverse('graph', args=[key])}?workspace={member.workspace.slug}")


def _looked_through(request: HttpRequest, member: Member, of: Object) -> None:
    """Takes the mark away that the page showed; else the next page says why not."""
    if wait := limits.take("writes", str(member.user.pk), settings.LIMIT_WRITES):
        messages.error(request, limits.too_often(wait, "writes"))
        return
    try:
        trust.lift(member, of, request.POST.get("since"))
    except trust.ReplacedSince:
        of_graph = _("A file has replaced this graph since. Look through it again.")
        of_type = _("It was imported anew. Look through it again.")
        messages.error(request, of_graph if of.type == GRAPH.name else of_type)
    except trust.NothingSeen:
        messages.error(request, _("This did not say what you looked through. Look through it again."))


@require_safe
@member_page
def node_type_detail(request: HttpRequest, member: Member, node_type: str) -> HttpResponse:
    of = or_not_found(custom_types(member.workspace.pk).filter(key=node_type).first())
    told = [field for field in NODE_TYPE.fields if field.name != NODE_TYPE.title]
    texts = [(field.label, _text(getattr(of, field.column))) for field in told]
    fields = [(label, text) for label, text in texts if text]
    context = {"type": of, "fields": fields, "trust": reverse("trust-node-type", args=[node_type])}
    return render_page(request, member, "graphs/node_type.html", context)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else readable(value) if value else ""


@require_POST
@member_page
def trust_node_type(request: HttpRequest, member: Member, node_type: str) -> HttpResponse:
    _looked_through(request, member, or_not_found(custom_types(member.workspace.pk).filter(key=node_type).first()))
    return redirect(f"{reverse('node-type', args=[node_type])}?workspace={member.workspace.slug}")


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def import_graph(request: HttpRequest, member: Member) -> HttpResponse:
    member.require_editor()
    page = {"most_bytes": settings.MAX_IMPORT_BYTES}
    if request.method != "POST":
        return render_page(request, member, "graphs/import.html", {"form": ImportForm(), **page})
    form = ImportForm(request.POST, request.FILES)
    outcome = _outcome(request, member, form)
    status = 201 if "done" in outcome else outcome.pop("status")
    answer = render_page(request, member, "graphs/import.html", {"form": form, **page, **outcome}, status=status)
    return come_again(answer, outcome.get("again"))


def _outcome(request: HttpRequest, member: Member, form: ImportForm) -> dict[str, Any]:
    """What the page tells: `done`, or `refused` as {place: [sentences]} with a `status`."""
    if wait := limits.take("imports", str(member.user.pk), settings.LIMIT_IMPORTS):
        return _later(limits.throttled(wait, "imports"))
    if was_too_big(request):
        return {"refused": {"": [_("The file is too big to be imported here.")]}, "status": 413}
    if not form.is_valid():
        return {"status": 400}
    try:
        done: ImportedGraph = form.run(member.workspace, member.user, "refuse")
    except ImportRefused as refusal:
        return {"refused": explain(refusal), "status": 400}
    except ImportStopped as stopped:
        return {"refused": {"": [stopped.detail]}, "status": stopped.status}
    except KeyTaken as error:
        form.add_error("key", str(error))
        return {"status": 409, "taken": error.key, "free": free_key(member.workspace.pk, error.key)}
    except KeyInvalid as error:
        form.add_error("key", str(error))
        return {"status": 400}
    except AWAY as error:
        if not waited_too_long(error):
            raise
        return _later(busy())
    return {"done": done}


def _later(problem: Problem) -> dict[str, Any]:
    """What the page tells who has to come again: why, and in how many seconds."""
    return {"refused": {"": [problem.detail]}, "again": seconds_of(problem), "status": problem.status}
