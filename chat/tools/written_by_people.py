"""The messages that people wrote themselves, among those that stand in conversations as theirs."""

from django.db.models import Exists, OuterRef, QuerySet, TextField
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from chat.models import Message, Proposal


def written_by_people(messages: QuerySet[Message]) -> QuerySet[Message]:
    """Without prompts that were tried, which hold values, and without what quotes a model to be proposed again."""
    proposals = Proposal.objects.filter(session=OuterRef("session"), asked_again__isnull=False)
    quotes = proposals.alias(asks=KT("asked_again__userMessageId")).filter(asks=Cast(OuterRef("pk"), TextField()))
    own = messages.filter(role=Message.Role.USER, kind=Message.TEXT, prompt_version="")
    return own.exclude(Exists(quotes))
