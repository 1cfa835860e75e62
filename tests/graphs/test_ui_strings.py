import json
import re

import pytest
from django.contrib.auth.models import User
from django.utils import translation

from graphs.templatetags import ui_strings
from tests.cast import signed_in


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    ui_strings._translations.cache_clear()


def handed_over(page: str) -> dict[str, str]:
    found = re.search(r'<script id="ui-strings" type="application/json">(.*?)</script>', page)
    assert found
    texts: dict[str, str] = json.loads(found[1])
    return texts


def test_it_hands_over_what_differs() -> None:
    with translation.override("fr"):
        texts = handed_over(ui_strings.ui_strings())
    assert (texts["Thinking…"], texts["{count} nodes"]) == ("Réflexion…", "{count} nœuds")
    assert "Type" not in texts


def test_it_hands_over_nothing_that_only_others_say() -> None:
    with translation.override("fr"):
        texts = handed_over(ui_strings.ui_strings())
    assert "Skip to content" not in texts, "pages say it, not scripts"
    assert "Today" not in texts, "a script of the admin says it"


def test_it_cannot_be_broken_out_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ui_strings, "_translations", lambda _language: {"x": "</script><b>"})
    assert "</script><b>" not in ui_strings.ui_strings()


def test_every_page_has_it(alice: User) -> None:
    client = signed_in(alice)
    assert handed_over(client.get("/").content.decode()) == {}
    client.cookies["django_language"] = "fr"
    assert handed_over(client.get("/").content.decode())["Sign in"] == "Se connecter"
