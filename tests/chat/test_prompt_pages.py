"""The pages of prompts: what is listed, written, compared, made to count and tried, by whom."""

import html
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.models import PromptVersion, Run, VersionStatus
from tests.cast import signed_in
from tests.graphs.records.portfolio import Portfolio, portfolio

__all__ = ["portfolio"]
pytestmark = pytest.mark.django_db
PAGE = "/prompts/folder_name/"
NEW = {"text.en": "Name {{folder}}.\r\nBriefly.", "text.fr": "Nomme {{folder}}.", "reason": "Shorter names"}


def shown(client: Client, address: str = PAGE, **form: str) -> str:
    answer = client.post(address, form, follow=True) if form else client.get(address)
    assert answer.status_code == 200, address
    return html.unescape(answer.content.decode())


def test_the_list_names_what_counts_and_what_conversations_are_told(bob: User) -> None:
    page = shown(signed_in(bob), "/prompts/")
    assert "executive_summary@1" in page
    assert "You can only read at the moment" in page
    assert "New" not in re.findall(r"<summary[^>]*>([^<]*)<", page)
    assert Client().get("/prompts/").headers["Location"] == "/accounts/login/?next=/prompts/"


def test_an_editor_writes_a_version_compares_it_and_makes_it_count(alice: User, bob: User) -> None:
    client = signed_in(alice)
    assert "folder_name@2 is saved" in shown(client, f"{PAGE}versions/", **NEW)
    draft = shown(signed_in(bob), f"{PAGE}?from=2")
    assert ("Name {{folder}}." in draft, "The text of folder_name@2" in draft) == (True, True)
    assert f"{PAGE}?from=2#text" in draft
    version = PromptVersion.objects.get(number=2)
    assert (version.texts["en"], version.status) == ("Name {{folder}}.\nBriefly.", VersionStatus.DRAFT)
    assert '"text.en"' in shown(client, f"{PAGE}?a=1&b=2")
    assert "Nothing differs." in shown(client, f"{PAGE}?a=2&b=2")
    page = shown(client, f"{PAGE}activate/", number="2", reason="They fit")
    assert "folder_name@2 is active now." in page
    assert "They fit" in page
    assert "folder_name@2" in shown(signed_in(bob), "/prompts/")
    seen = shown(signed_in(bob))
    assert ("Name {{folder}}." in seen, "Write a new version" in seen) == (True, False)


def test_what_cannot_be_saved_is_shown_again_with_what_is_wrong(alice: User) -> None:
    answer = signed_in(alice).post(f"{PAGE}versions/", {**NEW, "text.fr": "Nomme {{secret}}."})
    page = html.unescape(answer.content.decode())
    assert answer.status_code == 400
    assert "There is no variable {{secret}} here." in page
    assert ("Name {{folder}}." in page, 'value="Shorter names"' in page) == (True, True)
    assert f'name="next" value="{PAGE}"' in page, "another language is read on a page that can be opened"
    assert not PromptVersion.objects.filter(number=2).exists()


def test_trying_leads_to_the_conversation_beside_the_object(alice: User, portfolio: Portfolio) -> None:
    client = signed_in(alice)
    assert "Warehouse" in shown(client)
    answer = client.post(f"{PAGE}try/", {"number": "1", "object": str(portfolio.folder.pk)})
    run = Run.objects.get()
    address = f"/folders/{portfolio.folder.pk}/?session={run.session_id}&workspace=demo"
    assert (answer.status_code, answer.headers["Location"]) == (302, address)
    assert (str(run.prompt_version), run.reads_only) == ("folder_name@1", True)


def test_strangers_and_viewers_get_no_further(alice: User, bob: User, charlie: User) -> None:
    shown(signed_in(alice), f"{PAGE}versions/", **NEW)
    for user, status in ((bob, 403), (charlie, 404)):
        assert signed_in(user).post(f"{PAGE}activate/", {"number": "2"}).status_code == status
    assert signed_in(bob).post(f"{PAGE}versions/", NEW).status_code == 403
    assert signed_in(bob).post("/prompts/new/", {"key": "mine"}).status_code == 403
    assert "folder_name@2" not in shown(signed_in(charlie), f"{PAGE}?a=1&b=2&from=2")


def test_a_new_prompt_says_what_is_wrong_with_its_key(alice: User) -> None:
    client = signed_in(alice)
    form = {"key": "folder_name", "name": "Names", "type": "folder_name"}
    for wrong, said in (
        ({}, "There is a prompt with this key"),
        ({"key": "a" * 29}, "A key has 1 to 28"),
        ({"key": "names", "type": "poem"}, "Choose what it asks for."),
        ({"key": "names", "name": "n" * 121}, "It has 1 to 120 characters."),
    ):
        refused = client.post("/prompts/new/", {**form, **wrong})
        assert (refused.status_code, said in refused.content.decode()) == (400, True), wrong
    long = client.post(f"{PAGE}versions/", {**NEW, "reason": "r" * 501})
    assert (long.status_code, "It has 1 to 500 characters." in long.content.decode()) == (400, True)
    assert "No version yet" in shown(client, "/prompts/new/", **{**form, "key": "names"})


def test_an_editor_archives_a_prompt_of_the_workspace(alice: User, bob: User) -> None:
    client, page = signed_in(alice), "/prompts/short_names/"
    shown(client, "/prompts/new/", key="short_names", name="Short names", type="folder_name")
    assert "archive/" not in shown(client, PAGE) + shown(signed_in(bob), page)
    assert "Short names is archived." in shown(client, f"{page}archive/", archived="1")
    assert "Short names" not in shown(client, "/prompts/").partition("<table")[2]
    assert "Short names" in shown(client, "/prompts/?archived=1")
    assert "Write a new version" not in shown(client, page)
    answer = client.post(f"{page}versions/", NEW)  # which was being written as somebody archived the prompt
    written = answer.content.decode()
    assert (answer.status_code, "Bring it back first." in written, "Name {{folder}}." in written) == (409, True, True)
    assert signed_in(bob).post(f"{page}archive/", {"archived": "0"}).status_code == 403
    assert "Short names is back." in shown(client, f"{page}archive/", archived="0")
    assert "Short names" in shown(client, "/prompts/")
    assert "Prompts that came with the program stay" in shown(client, f"{PAGE}archive/", archived="1")
