from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from chat.models import Process
from graphs.models import Workspace
from tests.graphs.admin.staff import auditor, superuser

pytestmark = pytest.mark.django_db
LIST = "admin:chat_process_changelist"


def test_silent_processes_are_told_from_living_ones() -> None:
    Process.objects.create(label="alive:1")
    silent = Process.objects.create(label="silent:2")
    Process.objects.filter(pk=silent.pk).update(seen_at=timezone.now() - timedelta(minutes=1))
    client = superuser()
    for alive, shown, hidden in (("yes", "alive:1", "silent:2"), ("no", "silent:2", "alive:1")):
        text = client.get(reverse(LIST), {"alive": alive}).content.decode()
        assert shown in text
        assert hidden not in text


def test_only_superusers_see_them(demo_workspace: Workspace) -> None:
    process = Process.objects.create(label="alive:1")
    client = auditor(demo_workspace)
    assert client.get(reverse(LIST)).status_code == 403
    assert client.get(reverse("admin:chat_process_change", args=[process.pk])).status_code == 404
