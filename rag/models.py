"""Vectors and what is known about them. They can all be made again: nothing here is the only copy of anything."""

from typing import ClassVar

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _
from pgvector.django import HalfVectorField


class EmbeddingModel(models.Model):
    """A model whose vectors are kept true; one of them answers questions.

    After a failure that concerns the model and not one text nobody asks it before `retry_at`. `dimensions` is None of
    the model that the settings ask for, the first of all, until it has answered.
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

    `target_type` is the kind of the target, `collection` what it is searched with (`rag.embeddings.collections`).
    `content_hash` is of the text that was embedded. `model` is a name and no key: vectors are copied in by the million.
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
    """How far a model knows a collection: its vectors are true for that `version`, 0 if everything is to be looked at.

    The history says what changed since then. `indexed`: there is an index of its vectors. `fitted`: it has the index
    that it needs, or needs none. A collection whose workspace may spend no more on the model waits until
    `paused_until`.
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
    """A text that a model refused. It is tried again at `retry_at`, at growing intervals, or when it changes.

    `content_hash` is of that text.
    """

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
