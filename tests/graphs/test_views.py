import json
import re
from html.parser import HTMLParser

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, Settings

from graphs.history.editing import Request, edit
from graphs.history.rollback import roll_back
from graphs.history.scopes import ChangeSets
from graphs.models import Graph, Membership, Role, Workspace
from graphs.objects.actions import parse
from graphs.site.access import member_of
from tests.cast import PASSWORD, save_all, signed_in

LOGIN = "/accounts/login/"
PAGES = ["/", "/import/", "/graphs/nba/", "/inbox/"]


class Markup(HTMLParser):
    """What no page may have: inline styles, inline scripts, handlers in attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.inline: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        handlers = [name for name in given if name.startswith("on") or name == "style"]
        is_script = tag == "script" and "src" not in given and given.get("type") != "application/json"
        if handlers or is_script or tag == "style" or str(given.get("href")).startswith("javascript:"):
            self.inline.append(self.get_starttag_text() or tag)


def without_tokens(page: str) -> str:
    """A page without what is another in each answer."""
    return re.sub(r'(csrfmiddlewaretoken" value|nonce)="[^"]*"', "", page)


def text_of(response: HttpResponse) -> str:
    return response.content.decode()


def native(**changes: object) -> SimpleUploadedFile:
    document = {
        "format": "countersign.graph",
        "formatVersion": 1,
        "name": "Small",
        "sheets": [{"key": "main", "name": "Main"}],
        "nodes": [{"key": "a", "type": "note", "sheet": "main"}],
    }
    return SimpleUploadedFile("small.json", json.dumps(document | changes).encode())


# Signing in


@pytest.mark.parametrize("page", PAGES)
def test_anonymous_is_sent_to_sign_in(nba: Graph, page: str) -> None:
    answer = Client().get(page)
    assert (answer.status_code, answer.headers["Location"]) == (302, f"{LOGIN}?next={page}")


def test_signing_in_leads_to_where_one_wanted_to_go(alice: User) -> None:
    answer = Client().post(LOGIN, {"username": "alice", "password": PASSWORD, "next": "/graphs/nba/"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/graphs/nba/")


@pytest.mark.parametrize(
    "elsewhere",
    ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)", "http:///evil.example"],
)
def test_signing_in_leads_nowhere_else(alice: User, elsewhere: str) -> None:
    answer = Client().post(LOGIN, {"username": "alice", "password": PASSWORD, "next": elsewhere})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")


def test_wrong_credentials_are_told(alice: User) -> None:
    answer = Client().post(LOGIN, {"username": "alice", "password": "wrong"})
    assert answer.status_code == 200
    assert "enter a correct username and password" in text_of(answer)


@pytest.mark.parametrize("door", [LOGIN, "/admin/login/"])
def test_attempts_are_limited(alice: User, settings: Settings, door: str) -> None:
    settings.LIMIT_LOGIN = "2/min"
    for _attempt in range(2):
        Client().post(door, {"username": "alice", "password": "wrong"})
    answer = Client().post(door, {"username": "alice", "password": PASSWORD})
    assert "Too many attempts" in text_of(answer)
    assert "sessionid" not in answer.cookies
    if door == LOGIN:
        assert answer.status_code == 429
        assert 1 <= int(answer.headers["Retry-After"]) <= 60


def test_the_doors_share_one_limit(alice: User, settings: Settings) -> None:
    settings.LIMIT_LOGIN = "1/min"
    Client().post("/admin/login/", {"username": "alice", "password": "wrong"})
    assert Client().post(LOGIN, {"username": "alice", "password": PASSWORD}).status_code == 429


def test_signing_out_takes_a_post(alice: User) -> None:
    client = signed_in(alice)
    assert client.get("/accounts/logout/").status_code == 405
    assert client.get("/").status_code == 200
    assert client.post("/accounts/logout/").status_code == 302
    assert client.get("/").status_code == 302


def test_the_login_page_names_no_account(alice: User, settings: Settings) -> None:
    assert "alice" not in text_of(Client().get(LOGIN))


# The list


def test_the_list_shows_graphs_with_their_sizes(bob: User, nba: Graph) -> None:
    page = text_of(signed_in(bob).get("/"))
    assert "NBA scores" in page
    assert 'href="/graphs/nba/"' in page
    assert "Fetches games." in page


def test_the_list_takes_as_many_queries_for_many_graphs(
    bob: User, nba: Graph, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    save_all(Graph(workspace=nba.workspace, key=f"g{i}", name=f"G {i}") for i in range(20))
    client = signed_in(bob)
    with django_assert_num_queries(12):  # two of them for records
        client.get("/")


@pytest.mark.parametrize(
    ("address", "label", "searched"),
    [
        ("/", "Search graphs", "/"),
        ("/inbox/", "Search graphs", "/"),
        ("/companies/", "Search companies", "/companies/"),
        ("/folders/", "Search folders", "/folders/"),
        ("/use-cases/", "Search use cases", "/use-cases/"),
        ("/objects/usecase/import/", "Search use cases", "/use-cases/"),
    ],
)
def test_the_search_on_top_is_for_what_the_page_is_about(
    alice: User, nba: Graph, address: str, label: str, searched: str
) -> None:
    page = signed_in(alice).get(address).content.decode()
    assert f'<form class="search" role="search" action="{searched}">' in page
    assert f'<label class="visually-hidden" for="search">{label}</label>' in page
    assert page.count('aria-current="true"') == (address != "/inbox/")


def test_who_finds_nothing_is_led_to_the_other_searches_in_their_workspace(bob: User, nba: Graph) -> None:
    page = signed_in(bob).get("/?search=tanker+%26+%3Cb%3E").content.decode()
    for where in ("companies", "folders", "use-cases"):
        assert f'href="/{where}/?search=tanker%20%26%20%3Cb%3E"' in page
    assert 'href="/?search=tanker' in signed_in(bob).get("/companies/?search=tanker").content.decode()


def test_the_list_searches_and_says_when_nothing_was_found(bob: User, nba: Graph) -> None:
    client = signed_in(bob)
    assert "NBA scores" in text_of(client.get("/", {"search": "games"}))
    nothing = text_of(client.get("/", {"search": "<b>weather</b>"}))
    assert "Nothing found" in nothing
    assert "NBA scores" not in nothing
    assert "<b>weather" not in nothing


def test_the_list_has_pages(bob: User, demo_workspace: Workspace) -> None:
    save_all(Graph(workspace=demo_workspace, key=f"g{i:02}", name=f"G {i:02}") for i in range(30))
    client = signed_in(bob)
    first = client.get("/", {"search": "G"})
    assert (text_of(first).count('class="row-link"'), first.context["page"].previous) == (25, None)
    second = client.get("/", {"search": "G", "cursor": first.context["page"].next})
    assert text_of(second).count('class="row-link"') == 5
    assert "search=G" in text_of(second).split('class="pager"')[1]


def test_a_cursor_that_is_none_leads_to_the_beginning(bob: User, nba: Graph) -> None:
    for kept in ("", "?search=nba&workspace=demo"):
        answer = signed_in(bob).get(f"/{kept or '?'}&cursor=nonsense")
        assert (answer.status_code, answer.headers["Location"]) == (302, f"/{kept}")


def test_an_empty_list_says_what_to_do(alice: User, bob: User) -> None:
    assert 'href="/import/"' in text_of(signed_in(alice).get("/"))
    viewer = text_of(signed_in(bob).get("/"))
    assert "No graphs yet" in viewer
    assert "/import/" not in viewer


def test_who_belongs_nowhere_is_told_so(db: None) -> None:
    loner = User.objects.create_user("loner")
    page = signed_in(loner).get("/")
    assert "You belong to no workspace yet" in text_of(page)
    assert signed_in(loner).get("/import/").status_code == 404


# Workspaces


def test_pages_stay_in_the_workspace_that_was_chosen(alice: User, nba: Graph, other_workspace: Workspace) -> None:
    Membership.objects.create(user=alice, workspace=other_workspace, role=Role.EDITOR)
    Graph.objects.create(workspace=other_workspace, key="there", name="There")
    client = signed_in(alice)
    home = text_of(client.get("/"))
    assert 'href="/?workspace=other"' in home
    assert 'href="/graphs/nba/"' in home
    other = text_of(client.get("/?workspace=other"))
    assert 'href="/graphs/there/?workspace=other"' in other
    assert 'href="/import/?workspace=other"' in other
    client.post("/import/?workspace=other", {"file": native()})
    assert Graph.objects.filter(workspace=other_workspace, key="small").exists()


def test_strangers_find_nothing(charlie: User, nba: Graph) -> None:
    client = signed_in(charlie)
    absent = client.get("/graphs/abc/")
    foreign = client.get("/graphs/nba/")
    assert absent.status_code == foreign.status_code == client.get("/?workspace=demo").status_code == 404
    assert "NBA scores" not in text_of(foreign)


# The graph


def test_the_graph_page_has_its_parts(bob: User, nba: Graph) -> None:
    page = text_of(signed_in(bob).get("/graphs/nba/"))
    assert '<graph-view src="/api/v1/graphs/nba?workspace=demo"' in page
    assert "/api/v1/graphs/nba/export?format=native&amp;workspace=demo" in page
    assert "3 nodes" in page
    assert "2 edges" in page


def test_the_page_can_begin_with_the_history(bob: User, alice: User, nba: Graph) -> None:
    page = text_of(signed_in(bob).get("/graphs/nba/?tab=history"))
    assert re.search(r"<graph-view [^>]* hidden>", page)
    assert re.search(r'<graph-history [^>]*object="graph:nba" [^>]*workspace="demo"></graph-history>', page)
    assert re.search(
        r"<graph-history [^>]* editable hidden>", text_of(signed_in(alice).get("/graphs/nba/?tab=nonsense"))
    )


def test_text_of_a_graph_is_only_text(bob: User, nba: Graph) -> None:
    hostile = "<img src=x onerror=alert(1)>\"'</script>"
    Graph.objects.filter(pk=nba.pk).update(name=hostile, description=hostile)
    client = signed_in(bob)
    for page in ("/", "/graphs/nba/"):
        assert "<img" not in text_of(client.get(page))
        assert Markup(text_of(client.get(page))).inline == []


# Importing


def test_the_import_page_works_without_scripts(alice: User) -> None:
    answer = signed_in(alice).post("/import/", {"file": native()})
    assert answer.status_code == 201
    assert 'href="/graphs/small/"' in text_of(answer)


def test_the_import_page_names_what_is_wrong(alice: User) -> None:
    nodes = [{"key": "a", "type": "note", "sheet": "nope"}]
    answer = signed_in(alice).post("/import/", {"file": native(nodes=nodes), "format": "native"})
    assert answer.status_code == 400
    assert "nodes[0]" in text_of(answer)
    assert "nope" in text_of(answer)
    assert not Graph.objects.exists()


def test_the_import_page_names_what_was_left_out(alice: User) -> None:
    flow = [
        {"id": "t", "type": "tab", "label": "T"},
        {"id": "a", "type": "inject", "z": "t", "x": 1, "y": 1, "wires": [["gone"]]},
    ]
    answer = signed_in(alice).post("/import/", {"file": SimpleUploadedFile("f.json", json.dumps(flow).encode())})
    assert answer.status_code == 201
    assert "1 thing is not as it was in the file" in text_of(answer)


def test_the_import_page_refuses_a_taken_key(alice: User, nba: Graph) -> None:
    answer = signed_in(alice).post("/import/", {"file": native(), "key": "nba"})
    assert answer.status_code == 409
    assert "already" in text_of(answer)


def test_the_import_page_refuses_what_is_too_big(alice: User, settings: Settings) -> None:
    settings.MAX_IMPORT_BYTES = 10_000
    answer = signed_in(alice).post("/import/", {"file": native(description="x" * 100_000)})
    assert answer.status_code == 413
    assert "too big" in text_of(answer)


def test_the_import_page_needs_a_file(alice: User) -> None:
    answer = signed_in(alice).post("/import/")
    assert answer.status_code == 400
    assert "This field is required" in text_of(answer)


@pytest.mark.parametrize("method", ["get", "post"])
def test_viewers_import_nothing(bob: User, method: str) -> None:
    assert (
        getattr(signed_in(bob), method)("/import/", {"file": native()} if method == "post" else {}).status_code == 403
    )
    assert not Graph.objects.exists()


# All pages


@pytest.mark.parametrize("page", [*PAGES, "/nothing/", "/accounts/login/"])
def test_no_page_has_anything_inline(alice: User, nba: Graph, page: str) -> None:
    text = text_of((Client() if page == LOGIN else signed_in(alice)).get(page))
    assert Markup(text).inline == []
    assert 'id="ui-strings"' in text
    assert text.count("<main") == text.count("<h1") == 1


def test_the_language_can_be_switched(alice: User) -> None:
    client = signed_in(alice)
    answer = client.post("/i18n/setlang/", {"language": "fr", "next": "/"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")
    assert '<html lang="fr"' in text_of(client.get("/"))


@pytest.mark.parametrize(
    ("theme", "attribute"), [("dark", ' data-theme="dark"'), ("light", ' data-theme="light"'), ('"><b>', "")]
)
def test_the_theme_is_the_readers(alice: User, theme: str, attribute: str) -> None:
    client = signed_in(alice)
    client.cookies["theme"] = theme
    assert f'<html lang="en"{attribute}>' in text_of(client.get("/"))


def test_only_staff_sees_the_way_to_the_administration(alice: User) -> None:
    assert "/admin/" not in text_of(signed_in(alice).get("/"))
    User.objects.filter(pk=alice.pk).update(is_staff=True)
    assert "/admin/" in text_of(signed_in(alice).get("/"))


def test_a_deleted_graph_says_so_to_members_until_it_is_back(
    client: Client, alice: User, bob: User, charlie: User, nba: Graph
) -> None:
    page = reverse("graph", args=["nba"])
    deleted = edit(member_of(alice), nba, Request([parse("delete_graph", {})]))
    for person, editable in ((alice, True), (bob, False)):
        client.force_login(person)
        response = client.get(page)
        assert response.status_code == 404
        text = response.content.decode()
        assert f'data-deletion="{deleted}" data-actor="alice"' in text
        assert ("data-editable" in text) is editable
        assert "data-deletion" not in client.get(reverse("graph", args=["nothing"])).content.decode()
    client.force_login(charlie)
    foreign, absent = (text_of(client.get(reverse("graph", args=[key]))) for key in ("nba", "abn"))
    assert "There is nothing here" in foreign
    assert without_tokens(foreign).replace("nba", "abn") == without_tokens(absent)
    roll_back(nba.workspace_id, alice, ChangeSets((deleted,)))
    client.force_login(alice)
    assert client.get(page).status_code == 200
