"""Who may have embeddings tried again, and what then is; who may see the pages is in tests/doors/test_admin.py."""

from datetime import timedelta

import pytest
from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.models import Permission, User
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from graphs.models import Graph
from rag.models import EmbeddedCollection, EmbeddingFailure, EmbeddingModel
from rag.sources.graphs.nodes import collection_of

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


def test_a_text_is_tried_again_now_also_where_its_model_is_left_alone(admin_client: Client, nba: Graph) -> None:
    later = timezone.now() + timedelta(hours=1)
    model = EmbeddingModel.objects.create(name="custom/tiny", dimensions=8, serves=True, retry_at=later)
    other = EmbeddingModel.objects.create(name="custom/other", dimensions=8, retry_at=later)
    state = EmbeddedCollection.objects.create(collection=collection_of(nba.pk), model=model.name, paused_until=later)
    failed = EmbeddingFailure.objects.create(
        target_type="node",
        target_id=nba.nodes.get(key="root").pk,
        collection=collection_of(nba.pk),
        model=model.name,
        retry_at=later,
    )
    chosen = {"action": "try_again", ACTION_CHECKBOX_NAME: [failed.pk]}
    answer = admin_client.post(reverse("admin:rag_embeddingfailure_changelist"), chosen, follow=True)
    assert "1 text is tried again within a few seconds." in answer.content.decode()
    for row in (model, other, state, failed):
        row.refresh_from_db()
    assert model.retry_at is state.paused_until is None
    assert failed.retry_at is not None
    assert failed.retry_at <= timezone.now()
    assert other.retry_at == later
