"""What people think of answers."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from chat.models.conversation import Message

LONGEST_COMMENT = 2000


class Feedback(models.Model):
    """One person's vote on an answer, with what they say of it; taken back it is no row."""

    class Vote(models.IntegerChoices):
        UP = 1, _("good")
        DOWN = -1, _("not good")

    message = models.ForeignKey(
        Message, models.CASCADE, related_name="feedback", verbose_name=_("answer"), db_index=False
    )
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", verbose_name=_("person"))
    vote = models.SmallIntegerField(_("vote"), choices=Vote.choices)
    comment = models.CharField(_("comment"), max_length=LONGEST_COMMENT, blank=True)
    updated_at = models.DateTimeField(_("given"), db_default=Now())

    class Meta:
        verbose_name = _("feedback on an answer")
        verbose_name_plural = _("feedback on answers")
        ordering = ("-updated_at", "-id")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["message", "person"], name="one_vote_per_person"),
            models.CheckConstraint(condition=models.Q(vote__in=[1, -1]), name="vote_is_up_or_down"),
        ]
        indexes: ClassVar = [models.Index(fields=["-updated_at", "-id"], name="feedback_latest")]

    def __str__(self) -> str:
        return f"{self.get_vote_display()}: {self.comment[:60]}" if self.comment else self.get_vote_display()
