"""What a model is asked that shall summarise, and what stands in place of the messages."""

import pytest
from django.contrib.auth.models import User

from chat.models import Message
from chat.prompts.cutting import Cut
from chat.prompts.serialising import shown
from chat.prompts.summary import request_messages, summary_text
from chat.providers.base import PromptMessage
from graphs.models import Workspace
from rag.tokens import count_tokens
from tests.chat.admin.talk import talk, turn


def test_the_summary_before_stays_whatever_has_to_go() -> None:
    messages = [PromptMessage("user", f"Question {number} {'word ' * 100}") for number in range(40)]
    _instructions, asked = request_messages("They want the parser mended.", messages, 2_000)
    assert "They want the parser mended." in asked.content
    assert "Question 0 " not in asked.content
    assert "Question 39 " in asked.content
    assert count_tokens(asked.content) < 2_100


@pytest.mark.django_db
def test_without_words_of_a_model_those_of_the_summary_before_stay(alice: User, demo_workspace: Workspace) -> None:
    session = talk(alice, demo_workspace).session
    turn(session, "And the parser?")
    messages = list(Message.objects.filter(session=session))
    before = "They want the parser mended.\n\nDecisions so far:\n- applied: long ago"
    text = summary_text(session.pk, messages, Cut(5, 0, (), 1), "", 1_000, before)
    assert "They want the parser mended." in text
    assert '- "And the parser?"' in text
    assert "long ago" not in text
    again = summary_text(session.pk, messages, Cut(5, 0, (), 1), "", 1_000, shown(text))
    assert again.count("And the parser?") == 1
    assert "They want" not in summary_text(session.pk, messages, Cut(5, 0, (), 1), "New words.", 1_000, before)
