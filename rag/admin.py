"""The queue of embeddings, for superusers: which models are kept true, what waits, what failed and why."""

from typing import Any

from django.contrib import admin
from django.contrib.auth import get_permission_codename
from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Count, Manager, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from graphs.admin.audit import ReadOnlyAdmin
from graphs.admin.display import column
from graphs.models import Object
from graphs.objects.kinds import KINDS, is_object
from rag.embeddings.background import paused
from rag.embeddings.collections import open_collection, waiting
from rag.embeddings.waking import wake
from rag.models import EmbeddedCollection, EmbeddingFailure, EmbeddingModel


class RetriedAdmin(ReadOnlyAdmin):
    """Rows that nobody edits; who may change them may have the work behind them tried again."""

    actions = ("try_again",)  # type: ignore[assignment]

    def has_retry_permission(self, request: HttpRequest) -> bool:
        """What Django asks for actions with the permission "retry"."""
        return request.user.has_perm(f"{self.opts.app_label}.{get_permission_codename('change', self.opts)}")


@admin.register(EmbeddingModel)
class EmbeddingModelAdmin(RetriedAdmin):
    """A model that failed is asked again by itself; "Try again now" does not wait for that."""

    list_display = ("name", "serves", "collections_waiting", "collections_paused", "texts_failed", "code", "retry_at")
    fields = (*list_display, "dimensions", "created_at")
    collections_waiting = column(_("collections that wait"), lambda obj: len(waiting(obj.name)))
    collections_paused = column(_("of these without a budget"), lambda obj: paused(obj.name).count())
    texts_failed = column(_("texts that failed"), lambda obj: int(obj.failed))

    def get_queryset(self, request: HttpRequest) -> QuerySet[EmbeddingModel]:
        failed = EmbeddingFailure.objects.filter(model=OuterRef("pk")).order_by().values("model")
        count = Coalesce(Subquery(failed.annotate(count=Count("pk")).values("count")), 0)
        return super().get_queryset(request).annotate(failed=count)

    @admin.action(description=_("Try again now"), permissions=["retry"])
    def try_again(self, request: HttpRequest, queryset: QuerySet[EmbeddingModel]) -> None:
        names = list(queryset.values_list("name", flat=True))
        EmbeddingModel.objects.filter(name__in=names).update(retry_at=None)
        EmbeddingFailure.objects.filter(model__in=names).update(retry_at=Now())
        EmbeddedCollection.objects.filter(model__in=names).update(paused_until=None)
        wake()
        self.message_user(request, _("They are tried again within a few seconds."))


@admin.register(EmbeddingFailure)
class EmbeddingFailureAdmin(RetriedAdmin):
    """Texts that a model refused; all other texts of their collections are embedded."""

    list_display = ("what", "collection_label", "model", "code", "attempts", "failed_at", "retry_at")
    list_filter = ("model", "code", "target_type")
    search_fields = ("=collection",)
    fields = list_display

    @admin.display(description=_("text of"))
    def what(self, obj: EmbeddingFailure) -> str:
        """The kind and key of the target; its id if it is gone."""
        rows: Manager[Any] = (
            Object.objects if is_object(obj.target_type) else KINDS[obj.target_type].model._default_manager
        )
        key = rows.filter(pk=obj.target_id).values_list("key", flat=True).first()
        return f"{KINDS[obj.target_type].label} {key or obj.target_id}"

    @admin.display(description=_("collection"), ordering="collection")
    def collection_label(self, obj: EmbeddingFailure) -> str:
        """What people call the collection; its name if it is gone."""
        collection = open_collection(obj.collection)
        return collection.label if collection else obj.collection

    @admin.action(description=_("Try again now"), permissions=["retry"])
    def try_again(self, request: HttpRequest, queryset: QuerySet[EmbeddingFailure]) -> None:
        models = list(queryset.order_by().values_list("model", flat=True).distinct())
        collections = list(queryset.order_by().values_list("collection", flat=True).distinct())
        count = queryset.update(retry_at=Now())
        # What a text waits for, too.
        EmbeddingModel.objects.filter(name__in=models).update(retry_at=None)
        EmbeddedCollection.objects.filter(model__in=models, collection__in=collections).update(paused_until=None)
        wake()
        message = ngettext(
            "%(count)s text is tried again within a few seconds.",
            "%(count)s texts are tried again within a few seconds.",
            count,
        )
        self.message_user(request, message % {"count": intcomma(count)})
