"""Structured generations: what was asked of a managed prompt about an object, beside the run that does it."""

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from chat.models.conversation import Message
from chat.models.runs import Run


class StructuredRun(models.Model):
    """What a run was asked to generate; its session is of that run alone and names the object and who asked.

    `by_model`: a model asked for it, in the answer `asked_in`, and no person: its result is always a proposal, also
    once that answer is erased. One that came of another one (`parent`) is the n-th of those (`place`), and is made once
    however often its parent is applied.
    """

    run = models.OneToOneField(Run, models.CASCADE, primary_key=True, related_name="structured")
    instructions = models.TextField(_("instructions"), blank=True)
    count = models.PositiveSmallIntegerField(_("how many"), null=True)
    by_model = models.BooleanField(_("asked for by a model"), default=False)
    asked_in = models.ForeignKey(
        Message, models.SET_NULL, null=True, related_name="generations", verbose_name=_("asked for in")
    )
    parent = models.ForeignKey(
        "self", models.CASCADE, null=True, related_name="children", verbose_name=_("came of"), db_index=False
    )
    place = models.PositiveSmallIntegerField(_("place"), null=True)

    class Meta:
        verbose_name = _("structured generation")
        verbose_name_plural = _("structured generations")
        constraints: ClassVar = [models.UniqueConstraint(fields=["parent", "place"], name="one_generation_per_place")]

    def __str__(self) -> str:
        return str(self.run.prompt_version)
