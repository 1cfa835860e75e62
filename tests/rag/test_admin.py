"""Who may have embeddings tried again; who may see the pages is in tests/doors/test_admin.py."""

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission, User
from django.test import RequestFactory

from rag.models import EmbeddingFailure, EmbeddingModel

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("model", [EmbeddingModel, EmbeddingFailure])
@pytest.mark.parametrize(("given", "offered"), [("view", []), ("change", ["try_again"])])
def test_only_who_may_change_is_offered_another_try(
    model: type[EmbeddingModel | EmbeddingFailure], given: str, offered: list[str]
) -> None:
    person = User.objects.create_user("eve", is_staff=True)
    person.user_permissions.add(Permission.objects.get(codename=f"{given}_{model._meta.model_name}"))
    request = RequestFactory().get("/")
    request.user = person
    assert list(admin.site.get_model_admin(model).get_actions(request)) == offered
