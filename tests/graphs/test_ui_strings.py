import json
import re
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.utils import translation

from graphs.templatetags import ui_strings
from tests.cast import signed_in

SAID = re.compile(r"""(?<![\w.])t\(\s*("(?:[^"\\]|\\.)*")""")
SAYING = re.compile(r"(?<![\w.])(?<!function )t\(")


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    ui_strings._translations.cache_clear()


def test_it_hands_over_what_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ui_strings, "_sources", lambda: ["Yes", "Countersign"])
    with translation.override("fr"):
        tag = ui_strings.ui_strings()
    assert tag == '<script id="ui-strings" type="application/json">{"Yes": "Oui"}</script>'


def test_it_cannot_be_broken_out_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ui_strings, "_sources", lambda: ["x"])
    monkeypatch.setattr(ui_strings, "gettext", lambda _source: "</script><b>")
    assert "</script><b>" not in ui_strings.ui_strings()


def test_every_page_has_it(alice: User) -> None:
    page = signed_in(alice).get("/").content.decode()
    found = re.search(r'<script id="ui-strings" type="application/json">(.*?)</script>', page)
    assert found
    assert json.loads(found[1]) == {}


@pytest.mark.parametrize("app", ["graphs", "chat"])
def test_everything_that_scripts_say_can_be_translated(app: str) -> None:
    scripts = Path(apps.get_app_config(app).path, "static").rglob("*.js")
    said = {json.loads(text) for script in scripts for text in SAID.findall(script.read_text())}
    assert said - set(ui_strings._sources()) == set()


@pytest.mark.parametrize("app", ["graphs", "chat"])
def test_scripts_say_nothing_that_cannot_be_found(app: str) -> None:
    for script in Path(apps.get_app_config(app).path, "static").rglob("*.js"):
        assert len(SAYING.findall(script.read_text())) == len(SAID.findall(script.read_text())), script
