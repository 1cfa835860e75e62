"""The event log: a stream is a gap-free sequence of events 1..n; `chat/events` is its only writer."""

from typing import ClassVar

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from graphs.models import Workspace


class Stream(models.Model):
    """One conversation (`session_<id>`), one object (`graph_<id>`) or what waits in a workspace (`workspace_<id>`).

    The row is the lock of its log: an append holds it and raises `last_sequence`. `epoch` rises when a run is claimed;
    a group writer with an older one writes nothing. `writer` and `batch` name the last group commit, for a writer that
    lost the answer to COMMIT. No changing column is indexed (HOT).
    """

    name = models.CharField(_("name"), max_length=80)
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    last_sequence = models.BigIntegerField(_("last sequence"), default=0)
    epoch = models.BigIntegerField(default=0)
    writer = models.UUIDField(null=True)
    batch = models.BigIntegerField(default=0)

    class Meta:
        verbose_name = _("stream")
        verbose_name_plural = _("streams")
        #: Not `unique=True`, which comes with a second index, for patterns.
        constraints: ClassVar = [models.UniqueConstraint(fields=["name"], name="one_stream_per_name")]

    def __str__(self) -> str:
        return self.name


class StreamEvent(models.Model):
    """One event, written by `chat/events` only: PostgreSQL refuses to change it but to two functions of its own.

    Run, message and stream are named without constraints: others lock those rows while events are written.
    """

    pk = models.CompositePrimaryKey("stream_id", "sequence")
    stream = models.ForeignKey(Stream, models.DO_NOTHING, related_name="events", db_constraint=False, db_index=False)
    sequence = models.BigIntegerField()
    version = models.SmallIntegerField(default=1, db_default=1)
    type = models.CharField(max_length=30)
    data = models.JSONField()
    message_id = models.UUIDField(null=True)
    run_id = models.UUIDField(null=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name = _("event")
        verbose_name_plural = _("events")
        indexes: ClassVar = [models.Index(fields=["message_id"], name="event_message")]

    def __str__(self) -> str:
        return f"{self.stream_id}:{self.sequence} {self.type}"


class Presence(models.Model):
    """Somebody reads this stream through a process; `seen_at` (database time) is renewed while they do."""

    stream = models.ForeignKey(Stream, models.CASCADE, related_name="readers", db_index=False)
    process = models.UUIDField(null=True)
    seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["stream", "process"], name="one_presence_per_process", nulls_distinct=False
            ),
        ]
