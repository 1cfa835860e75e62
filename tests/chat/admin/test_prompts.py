"""Versions of prompts in the admin: an audit for who may audit, and those of the site for superusers to write."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.actions import managing_prompts
from chat.managed_prompts.versions import active_in, prompt_for
from chat.models import Prompt, PromptActivation, PromptVersion, VersionStatus
from graphs.models import Workspace
from graphs.site.access import member_of
from tests.cast import signed_in

pytestmark = pytest.mark.django_db
SITE = "/admin/chat/sitepromptversion/"
TEXTS = {"en": "Name {{folder}}.", "fr": "Nomme {{folder}}."}


@pytest.fixture
def root(db: None) -> Client:
    return signed_in(User.objects.create_superuser("root"))


def written(root: Client, **more: str) -> int:
    """Writes a version of the site, and returns the status of the answer."""
    assert root.get(SITE).status_code == 200
    prompt = Prompt.objects.get(key="folder_name")
    form = {"prompt": str(prompt.pk), "text_en": TEXTS["en"], "text_fr": TEXTS["fr"], "reason": "Shorter", "model": ""}
    return root.post(f"{SITE}add/", {**form, **more}).status_code


def test_superusers_write_and_activate_versions_of_the_site(
    root: Client, alice: User, charlie: User, demo_workspace: Workspace, other_workspace: Workspace
) -> None:
    managing_prompts.write_version(member_of(alice), "folder_name", TEXTS, None, "", "Ours")
    managing_prompts.activate(member_of(alice), "folder_name", 2)
    assert written(root) == 302
    version = PromptVersion.objects.get(workspace=None, number=3)
    assert (version.status, version.author.username if version.author else "") == (VersionStatus.DRAFT, "root")
    assert not PromptVersion.objects.filter(pk=version.pk).exclude(variables=["folder"]).exists()
    root.post(SITE, {"action": "activate", "_selected_action": [str(version.pk)]})
    assert active_in(other_workspace, prompt_for(other_workspace, "folder_name")) == version
    assert str(active_in(demo_workspace, prompt_for(demo_workspace, "folder_name"))) == "folder_name@2"
    assert PromptActivation.objects.get(version=version).workspace is None
    page = root.get(f"{SITE}{version.pk}/change/").content.decode()
    assert ("Nomme {{folder}}." in page, "root" in page) == (True, True)
    listed = root.get("/admin/chat/promptversion/").content.decode()
    assert ("field-tenant" in listed, ">None<" in listed) == (True, False)


def test_what_cannot_be_saved_is_told_in_the_form(root: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in (
        {"text_fr": "Nomme {{secret}}."},
        {"text_en": "", "text_fr": ""},
        {"model": "openai:gpt-9"},
        {"reason": " "},
    ):
        assert written(root, **wrong) == 200, wrong
    monkeypatch.setattr(managing_prompts, "MAX_VERSIONS", 1)
    assert written(root) == 200
    assert not PromptVersion.objects.exclude(number=1).exists()


def test_two_versions_of_one_prompt_are_not_activated_together(root: Client) -> None:
    for _each in range(2):
        assert written(root) == 302
    chosen = [str(pk) for pk in PromptVersion.objects.filter(number__gt=1).values_list("pk", flat=True)]
    answer = root.post(SITE, {"action": "activate", "_selected_action": chosen}, follow=True)
    assert "Choose one version of a prompt." in answer.content.decode()
    assert not PromptActivation.objects.exists()
