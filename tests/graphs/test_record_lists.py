import re
import uuid
from html import unescape
from urllib.parse import parse_qsl

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from chat.models import Session, Stream
from graphs.models import ChangeSet, Company, Folder, Modification, UseCase, Workspace
from graphs.models.records import Status
from graphs.records import listing
from tests.cast import signed_in
from tests.graphs.records.portfolio import Portfolio
from tests.graphs.tables.files import as_objects, exported


def names(page: str) -> list[str]:
    return [unescape(name).strip() for name in re.findall(r'class="row-link"[^>]*>([^<]*)<', page)]


def shown(client: Client, address: str) -> str:
    answer = client.get(address, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize("address", ["/companies/", "/folders/", "/use-cases/"])
def test_strangers_are_sent_to_sign_in(db: None, address: str) -> None:
    assert Client().get(address).headers["Location"] == f"/accounts/login/?next={address}"


def test_a_list_has_the_records_of_the_workspace_alone(
    portfolio: Portfolio, alice: User, charlie: User, other_workspace: Workspace
) -> None:
    Company.objects.create(workspace=other_workspace, name="Charlie's")
    assert names(shown(signed_in(alice), "/companies/")) == ["Northwind"]
    assert names(shown(signed_in(charlie), "/companies/")) == ["Charlie's"]


def test_an_empty_list_says_what_to_do(alice: User, bob: User) -> None:
    assert "Make the first one" in shown(signed_in(alice), "/folders/")
    page = shown(signed_in(bob), "/folders/")
    assert "An editor of this workspace can make one" in page
    assert "new-name" not in page


def test_it_finds_by_every_word_in_any_text(portfolio: Portfolio, alice: User) -> None:
    client = signed_in(alice)
    assert names(shown(client, "/use-cases/?search=slot%20optimise")) == ["Slot planning"]
    assert names(shown(client, "/use-cases/?search=SLOT")) == ["Slot planning"]
    assert "Nothing found" in shown(client, "/use-cases/?search=slot%20nowhere")


def test_it_shows_one_status_and_counts_all(portfolio: Portfolio, alice: User) -> None:
    page = shown(signed_in(alice), "/use-cases/?status=ready")
    assert names(page) == ["Claims triage"]
    assert "Draft (1)" in page
    assert "Ready (1)" in page


def test_it_shows_what_one_holder_holds(portfolio: Portfolio, alice: User) -> None:
    client = signed_in(alice)
    assert names(shown(client, f"/use-cases/?in={portfolio.folder.pk}")) == ["Claims triage", "Slot planning"]
    empty = Folder.objects.create(workspace=portfolio.workspace, name="Empty")
    assert "Nothing found" in shown(client, f"/use-cases/?in={empty.pk}")


def test_it_shows_what_a_company_holds_in_its_folders(portfolio: Portfolio, alice: User) -> None:
    """What the list finds, its export finds: both name the company."""
    UseCase.objects.create(workspace=portfolio.workspace, data={"name": "Without a folder"})
    page = shown(signed_in(alice), f"/use-cases/?in={portfolio.company.pk}")
    assert names(page) == ["Claims triage", "Slot planning"]
    assert f'<option value="{portfolio.company.pk}" selected>Northwind' in page
    assert f"parent=company%3A{portfolio.company.pk}" in page


def test_what_nothing_holds_that_is_there_is_an_empty_list_at_every_door(
    portfolio: Portfolio, alice: User, other_workspace: Workspace
) -> None:
    """Whether that was deleted, is foreign, or never was: neither the page nor its file is that of the workspace."""
    client, gone = signed_in(alice), Folder.objects.create(workspace=portfolio.workspace, name="Gone")
    Folder.objects.filter(pk=gone.pk).delete()
    foreign = (type_.objects.create(workspace=other_workspace, name="Foreign") for type_ in (Folder, Company))
    told = set()
    for holder in (gone.pk, *(row.pk for row in foreign), "nothing"):
        page = shown(client, f"/use-cases/?in={holder}&search=slot")
        assert names(page) == []
        assert "What this list is about is not there any more, or never was." in page
        assert 'href="/use-cases/?search=slot"' in page
        assert "/export/" not in page
        told.add(re.sub(r'(csrfmiddlewaretoken" value=)"\w+"', "", page.replace(str(holder), "")))
        for door in ("objects?type=usecase&", "objects/usecase/export?format=csv&"):
            answer = client.get(f"/api/v1/{door}parent=folder:{holder}")
            assert answer.status_code == 404
            told.add(answer.content)
    assert len(told) == 2  # the page, and “not found” of both doors


def test_a_holder_beyond_those_that_are_offered_stays_chosen(
    portfolio: Portfolio, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "HOLDERS", 0)
    page = shown(signed_in(alice), f"/use-cases/?in={portfolio.folder.pk}")
    assert page.count(f'<option value="{portfolio.folder.pk}" selected>') == 2


@pytest.mark.parametrize(
    ("order", "first"), [("name", "Claims triage"), ("-name", "Slot planning"), ("-status", "Claims triage")]
)
def test_it_is_in_the_order_that_is_asked_for(portfolio: Portfolio, alice: User, order: str, first: str) -> None:
    assert names(shown(signed_in(alice), f"/use-cases/?order={order}"))[0] == first


@pytest.mark.parametrize("asked", ["order=nothing", "status=nothing", "cursor=nothing", "search=%00"])
def test_what_cannot_be_asked_for_is_left_out(portfolio: Portfolio, alice: User, asked: str) -> None:
    assert len(names(shown(signed_in(alice), f"/use-cases/?{asked}"))) == 2


def test_a_page_that_is_none_keeps_what_was_asked_for(portfolio: Portfolio, alice: User) -> None:
    asked = f"in={portfolio.folder.pk}&search=Claims&status=draft&order=-name"
    answer = signed_in(alice).get(f"/use-cases/?cursor=nothing&{asked}")
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/use-cases/?{asked}")


def test_it_says_how_much_each_holds_and_how_many_conversations_there_are(
    portfolio: Portfolio, alice: User, bob: User
) -> None:
    for owner, kind, deleted in (
        (alice, "folder", None),
        (alice, "folder", None),
        (alice, "folder", timezone.now()),
        (alice, "company", None),
        (bob, "folder", None),
    ):
        stream = Stream.objects.create(workspace=portfolio.workspace, name=f"session_{uuid.uuid4()}")
        Session.objects.create(
            workspace=portfolio.workspace,
            owner=owner,
            stream=stream,
            context_type=kind,
            context_id=str(portfolio.folder.pk),
            hidden_at=deleted,
        )
    page = shown(signed_in(alice), "/folders/")
    assert re.search(r'class="number"[^>]*>2<', page)
    assert re.search(r'class="badge"[^>]*><span aria-hidden="true">2<', page)


def test_10000_records_take_ten_statements(portfolio: Portfolio, alice: User) -> None:
    UseCase.objects.bulk_create(
        UseCase(workspace=portfolio.workspace, folder=portfolio.folder, data={"name": f"Case {number:05}"})
        for number in range(10_000)
    )
    client = signed_in(alice)
    with CaptureQueriesContext(connection) as asked:
        page = shown(client, "/use-cases/")
    assert len(names(page)) == 50
    assert len(asked) <= 10, [each["sql"][:120] for each in asked]
    following = re.search(r'rel="next" href="([^"]*)"', page)
    assert following
    assert len(set(names(page)) & set(names(shown(client, "/use-cases/" + unescape(following[1]))))) == 0


def test_home_counts_the_records_and_names_the_latest(
    portfolio: Portfolio, alice: User, other_workspace: Workspace
) -> None:
    Company.objects.create(workspace=other_workspace, name="Foreign")
    page = shown(signed_in(alice), "/")
    counts = re.findall(r"<strong>(\d+)</strong> ([a-z ]+)<", page)
    assert counts == [("1", "company"), ("1", "folder"), ("2", "use cases")]
    assert "Claims triage" in page
    assert "Foreign" not in page


def test_what_is_listed_is_exported(portfolio: Portfolio, alice: User) -> None:
    client = signed_in(alice)
    page = unescape(shown(client, f"/use-cases/?in={portfolio.folder.pk}&search=slot"))
    (query,) = re.findall(r'href="[^"]*/usecase/export\?([^"]*format=json[^"]*)"', page)
    asked = dict(parse_qsl(query))
    told = exported(client, asked.pop("format"), "usecase", **asked).decode()
    assert "Slot planning" in told
    assert "Claims triage" not in told


@pytest.mark.parametrize(
    "asked",
    [
        "status=ready",
        "search=slot+optimise",
        "search=where+GOODS&status=draft",
        "search=slot+nowhere",
        "order=-name",
        "order=status",
        "order=-changed",
        "in={folder}&status=ready&order=-status",
        "status=nothing&order=nothing",
    ],
)
def test_an_export_has_what_the_list_shows_in_its_order(portfolio: Portfolio, alice: User, asked: str) -> None:
    UseCase.objects.create(workspace=portfolio.workspace, data={"name": "Yard"}, status="ready")
    client = signed_in(alice)
    page = unescape(shown(client, f"/use-cases/?{asked.format(folder=portfolio.folder.pk)}"))
    (query,) = re.findall(r'href="[^"]*/usecase/export\?([^"]*format=json[^"]*)"', page)
    told = as_objects(exported(client, kind="usecase", format_="json", **without_format(query)))
    assert [each["title"] for each in told] == names(page)


def without_format(query: str) -> dict[str, str]:
    return {name: value for name, value in parse_qsl(query) if name != "format"}


# Making one


def test_a_new_record_has_a_page_and_a_history(portfolio: Portfolio, alice: User) -> None:
    answer = signed_in(alice).post("/use-cases/new/", {"name": "New one", "parent": str(portfolio.folder.pk)})
    made = UseCase.objects.get(name="New one")
    assert answer.headers["Location"] == f"/use-cases/{made.pk}/"
    assert made.folder == portfolio.folder
    assert Modification.objects.filter(key=str(made.pk), action="create", change_set__origin="manual").exists()


@pytest.mark.parametrize("name", ["", " ", "x" * 201])
def test_a_name_is_asked_for(portfolio: Portfolio, alice: User, name: str) -> None:
    answer = signed_in(alice).post("/companies/new/", {"name": name}, follow=True)
    assert answer.redirect_chain == [("/companies/", 302)]
    assert 'class="notice error"' in answer.content.decode()
    assert Company.objects.count() == 1


def test_a_foreign_holder_is_like_an_absent_one(portfolio: Portfolio, alice: User, other_workspace: Workspace) -> None:
    foreign = Folder.objects.create(workspace=other_workspace, name="Foreign")
    said = []
    for parent in (str(foreign.pk), "00000000-0000-0000-0000-000000000000"):
        answer = signed_in(alice).post("/use-cases/new/", {"name": "New", "parent": parent}, follow=True)
        said.append(re.search(r"<li class=\"notice error\">([^<]*)", answer.content.decode())[1].replace(parent, "ID"))  # type: ignore[index]
    assert said[0] == said[1]
    assert UseCase.objects.count() == 2


@pytest.mark.parametrize("address", ["/companies/new/", "/companies/status/"])
def test_viewers_change_nothing(portfolio: Portfolio, bob: User, address: str) -> None:
    answer = signed_in(bob).post(address, {"name": "New", "record": str(portfolio.company.pk), "status": "ready"})
    assert answer.status_code == 403
    assert ChangeSet.objects.count() == 0


# Another status for several


def test_several_get_another_status_as_one_change(portfolio: Portfolio, alice: User) -> None:
    keys = [str(each.pk) for each in portfolio.use_cases]
    address = f"/use-cases/status/?in={portfolio.folder.pk}"
    answer = signed_in(alice).post(address, {"record": keys, "status": "archived"}, follow=True)
    assert answer.redirect_chain == [(f"/use-cases/?in={portfolio.folder.pk}", 302)]
    assert {each.status for each in UseCase.objects.all()} == {Status.ARCHIVED}
    (done,) = ChangeSet.objects.filter(origin="manual")
    assert set(Modification.objects.filter(change_set=done).values_list("key", "field")) == {
        (key, "status") for key in keys
    }


def test_foreign_records_stay_as_they_are(portfolio: Portfolio, alice: User, other_workspace: Workspace) -> None:
    foreign = Company.objects.create(workspace=other_workspace, name="Foreign")
    keys = [str(foreign.pk), str(portfolio.company.pk), "nonsense"]
    signed_in(alice).post("/companies/status/", {"record": keys, "status": "archived"})
    assert dict(Company.objects.values_list("name", "status")) == {"Foreign": "draft", "Northwind": "archived"}


@pytest.mark.parametrize("sent", [{}, {"status": "ready"}, {"record": "x", "status": "ready"}, {"status": "no"}])
def test_it_asks_for_records_and_a_status(portfolio: Portfolio, alice: User, sent: dict[str, str]) -> None:
    answer = signed_in(alice).post("/companies/status/", sent, follow=True)
    assert "Choose records" in answer.content.decode()
    assert ChangeSet.objects.count() == 0


def test_nothing_to_change_is_said(portfolio: Portfolio, alice: User) -> None:
    sent = {"record": str(portfolio.company.pk), "status": portfolio.company.status}
    assert "Nothing would change" in signed_in(alice).post("/companies/status/", sent, follow=True).content.decode()


@pytest.mark.parametrize(("language", "told"), [("en", "Name: A name is more"), ("fr", "Nom\u00a0: ")])
def test_what_is_refused_is_said_in_words_of_the_page(
    portfolio: Portfolio, alice: User, language: str, told: str
) -> None:
    client = Client(headers={"Accept-Language": language})
    client.force_login(alice)
    page = client.post("/use-cases/new/", {"name": "\u200b"}, follow=True).content.decode()
    assert told in page
    assert "data.name: " not in page


def test_too_many_changes_are_refused(portfolio: Portfolio, alice: User, settings: Settings) -> None:
    settings.LIMIT_CHANGES = "1/hour"
    client = signed_in(alice)
    client.post("/companies/new/", {"name": "First"})
    answer = client.post("/companies/new/", {"name": "Second"}, follow=True)
    assert "Too many changes." in answer.content.decode()
    assert not Company.objects.filter(name="Second").exists()


@pytest.mark.parametrize(
    ("address", "sent"),
    [
        ("/companies/new/", {"name": "a\x00b"}),
        ("/folders/new/", {"name": "New", "parent": "\x00"}),
        ("/companies/status/", {"status": "draft", "record": "\x00"}),
        ("/companies/status/", {"status": "\x00", "record": "{company}"}),
        ("/companies/status/", {"status": "x" * 10_000, "record": "{company}"}),
    ],
)
def test_nonsense_is_told_in_a_sentence(portfolio: Portfolio, alice: User, address: str, sent: dict[str, str]) -> None:
    values = {name: value.replace("{company}", str(portfolio.company.pk)) for name, value in sent.items()}
    answer = signed_in(alice).post(address, values, follow=True)
    assert answer.status_code == 200
    assert 'class="notice error"' in answer.content.decode()
    assert not ChangeSet.objects.filter(origin="manual").exists()


@pytest.mark.parametrize(
    ("address", "question"),
    [
        ("/companies/", "Which companies are there?"),
        ("/folders/", "Which folders are there?"),
        ("/use-cases/", "Which use cases are there?"),
    ],
)
def test_the_assistant_offers_questions_about_records(alice: User, address: str, question: str) -> None:
    page = unescape(shown(signed_in(alice), address))
    assert question in page
    assert "workflows are" not in page


def test_two_folders_of_one_name_are_told_apart_by_their_companies(portfolio: Portfolio, alice: User) -> None:
    other = Company.objects.create(workspace=portfolio.workspace, name="Contoso")
    for company in (other, None):
        Folder.objects.create(workspace=portfolio.workspace, company=company, name="Warehouse")
    Folder.objects.create(workspace=portfolio.workspace, company=other, name="Yard")
    page = shown(signed_in(alice), "/use-cases/")
    choices = page[page.index('id="filter-in"') :].split("</select>")[0]
    said = re.findall(r">([^<]+)</option>", choices)
    folders = ["Contoso / Warehouse", "Northwind / Warehouse", "Warehouse", "Yard"]
    assert sorted(said) == sorted(["Everywhere", "Contoso", "Northwind", *folders])


def test_all_that_a_list_finds_get_another_status(
    portfolio: Portfolio, alice: User, other_workspace: Workspace
) -> None:
    """More than a page shows, as one change that is taken back as one; what the list does not find stays."""
    folder = Folder.objects.create(workspace=portfolio.workspace, name="Many")
    for workspace, holder in ((portfolio.workspace, folder), (other_workspace, None)):
        UseCase.objects.bulk_create(
            UseCase(workspace=workspace, folder=holder, name=f"Case {number}", data={"name": f"Case {number}"})
            for number in range(60)
        )
    client, asked = signed_in(alice), f"?in={folder.pk}&search=case"
    assert "All 60 of this list" in shown(client, f"/use-cases/{asked}")
    assert 'name="all"' not in shown(client, f"/use-cases/?in={portfolio.folder.pk}")
    told = client.post(f"/use-cases/status/{asked}", {"all": "1", "status": "archived"}, follow=True).content.decode()
    assert "60 records are “archived” now." in unescape(told)
    archived = UseCase.objects.filter(status=Status.ARCHIVED)
    assert set(archived.values_list("folder", flat=True)) == {folder.pk}
    assert (archived.count(), ChangeSet.objects.filter(origin="manual").count()) == (60, 1)


def test_nobody_else_changes_all_of_a_list(portfolio: Portfolio, bob: User, charlie: User) -> None:
    assert 'name="all"' not in shown(signed_in(bob), "/use-cases/")
    assert signed_in(bob).post("/use-cases/status/", {"all": "1", "status": "archived"}).status_code == 403
    signed_in(charlie).post("/use-cases/status/", {"all": "1", "status": "archived"})
    assert not UseCase.objects.filter(status=Status.ARCHIVED).exists()


def test_all_of_a_folder_that_went_meanwhile_is_nothing(
    portfolio: Portfolio, alice: User, other_workspace: Workspace
) -> None:
    """The list that was open when it went, and one of a folder elsewhere, must not stand for the whole workspace."""
    foreign = Folder.objects.create(workspace=other_workspace, name="Foreign")
    gone = Folder.objects.create(workspace=portfolio.workspace, name="Gone")
    Folder.objects.filter(pk=gone.pk).delete()
    for holder in (gone.pk, foreign.pk, "nonsense"):
        address = f"/use-cases/status/?in={holder}"
        told = signed_in(alice).post(address, {"all": "1", "status": "archived"}, follow=True).content.decode()
        assert "is not there any more" in told
    assert not UseCase.objects.filter(status=Status.ARCHIVED).exists()
