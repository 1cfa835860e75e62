"""Vectors and what is known about them, which can all be made again; and which hosts a workspace lets be asked."""

from typing import ClassVar

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _
from pgvector.django import HalfVectorField

from graphs.models import Workspace


class EmbeddingModel(models.Model):
    """A model whose vectors are kept true; one of them answers questions.

    After a failure nobody asks it before `retry_at`. `dimensions` is None until the first model of all has answered.
    """

    name = models.CharField(_("model"), max_length=120, primary_key=True)
    dimensions = models.PositiveSmallIntegerField(_("dimensions"), null=True)
    serves = models.BooleanField(_("answers questions"), default=False)
    created_at = models.DateTimeField(_("since"), db_default=Now())
    failures = models.PositiveIntegerField(_("failures in a row"), default=0)
    code = models.CharField(_("reason"), max_length=20, blank=True)
    retry_at = models.DateTimeField(_("asked again at"), null=True)

    class Meta:
        verbose_name = _("embedding model")
        verbose_name_plural = _("embedding models")
        ordering = ("-serves", "name")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["serves"], condition=models.Q(serves=True), name="one_model_serves")
        ]

    def __str__(self) -> str:
        return self.name


class Embedding(models.Model):
    """The vector of one text: of a target, or of its part number `part`. Deleted with its target, by the database.

    `target_type` is the target's kind, `content_hash` that of its text. `model` is no key: vectors are copied in by the
    million.
    """

    target_type = models.CharField(_("kind"), max_length=30)
    target_id = models.BigIntegerField(_("target"))
    collection = models.CharField(_("collection"), max_length=60)
    part = models.PositiveSmallIntegerField(_("part"), default=0)
    model = models.CharField(_("model"), max_length=120)
    dimensions = models.PositiveSmallIntegerField(_("dimensions"))
    content_hash = models.BinaryField(_("hash of the text"), max_length=16)
    vector = HalfVectorField(_("vector"))

    class Meta:
        verbose_name = _("embedding")
        verbose_name_plural = _("embeddings")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["target_type", "target_id", "part", "model"], name="one_vector_per_part")
        ]
        indexes: ClassVar = [models.Index(fields=["collection", "model"], name="vectors_of_collection")]


class EmbeddedCollection(models.Model):
    """The `version` of a collection that a model's vectors are true for; 0 has everything looked at.

    `indexed`: its vectors have an index; `fitted`: it has the one it needs, if any. Unpaid it waits until
    `paused_until`; at a person's wish that has no end (`rag/embeddings/held_back.py`).
    """

    collection = models.CharField(_("collection"), max_length=60)
    model = models.CharField(_("model"), max_length=120)
    version = models.BigIntegerField(_("version"), default=0)
    indexed = models.BooleanField(_("has an index of its own"), default=False)
    fitted = models.BooleanField(_("has the index that it needs"), db_default=False)
    paused_until = models.DateTimeField(_("without a budget until"), null=True)

    class Meta:
        verbose_name = _("embedded collection")
        verbose_name_plural = _("embedded collections")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["collection", "model"], name="one_state_per_collection_and_model")
        ]


class EmbeddingFailure(models.Model):
    """A text (of this hash) that a model refused; tried again at `retry_at`, or when it changes."""

    target_type = models.CharField(_("kind"), max_length=30)
    target_id = models.BigIntegerField(_("target"))
    collection = models.CharField(_("collection"), max_length=60)
    part = models.PositiveSmallIntegerField(_("part"), default=0)
    model = models.CharField(_("model"), max_length=120)
    content_hash = models.BinaryField(_("hash of the text"), max_length=16, db_default=b"")
    code = models.CharField(_("reason"), max_length=20)
    attempts = models.PositiveIntegerField(_("attempts"), default=1)
    failed_at = models.DateTimeField(_("failed"), db_default=Now())
    retry_at = models.DateTimeField(_("tried again at"), null=True)

    class Meta:
        verbose_name = _("failed embedding")
        verbose_name_plural = _("failed embeddings")
        ordering = ("-failed_at", "-id")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["target_type", "target_id", "part", "model"], name="one_failure_per_part")
        ]
        indexes: ClassVar = [models.Index(fields=["model", "retry_at"], name="failures_to_retry")]


class FetchRule(models.Model):
    """A host, with its subdomains, that a workspace lets be asked for pages, or keeps from it.

    Where one is allowed, others are not.
    """

    workspace = models.ForeignKey(
        Workspace, models.CASCADE, related_name="+", verbose_name=_("workspace"), db_index=False
    )
    host = models.CharField(_("host"), max_length=253, help_text=_("With its subdomains: example.org"))
    allows = models.BooleanField(
        _("allowed"), default=False, help_text=_("Where any host is allowed, only those are asked.")
    )
    created_at = models.DateTimeField(_("since"), db_default=Now())

    class Meta:
        verbose_name = _("host on the web")
        verbose_name_plural = _("hosts on the web")
        ordering = ("workspace", "host")
        constraints: ClassVar = [models.UniqueConstraint(fields=["workspace", "host"], name="one_rule_per_host")]

    def __str__(self) -> str:
        return self.host
