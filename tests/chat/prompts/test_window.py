"""What is sent of a conversation whose earlier part is summarised. Nothing is stored here."""

from chat.models import Message, Round, Summary
from chat.prompts import window
from chat.prompts.cutting import HistoryCut
from chat.prompts.deepening import note_about
from chat.providers.model_request import ModelRequest


def question(sequence: int, **values: str) -> Message:
    return Message(sequence=sequence, role=Message.Role.USER, content=f"Question {sequence}", **values)


def answer(sequence: int, rounds: int = 1, **values: str) -> Message:
    said = [Round(f"Round {number}") for number in range(rounds)]
    return Message(sequence=sequence, role=Message.Role.ASSISTANT, rounds=said, **values)


def texts(messages: list[Message], summary: Summary) -> list[str]:
    return [entry.content for each in window.sent(messages, summary) for entry in each.entries]


def test_before_the_cut_only_what_is_kept_is_sent() -> None:
    messages = [question(1), answer(2), question(3), answer(4), question(5)]
    assert texts(messages, Summary(sequence=5, kept=[3])) == ["Question 3", "Question 5"]


def test_only_the_answer_at_the_cut_goes_without_its_first_rounds() -> None:
    """An answer that was kept while it was pinned is sent whole."""
    messages = [question(1), answer(2, 3), question(3), answer(4, 3)]
    found = texts(messages, Summary(sequence=4, rounds=2, kept=[2, 3]))
    assert found == ["Round 0", "Round 1", "Round 2", "Question 3", "Round 2"]


def test_records_told_before_the_cut_are_those_of_level_2_by_now() -> None:
    """Else an old version of them stood behind the new one."""
    messages = [
        question(1, records="Old records", in_prompt=Message.InPrompt.PINNED),
        question(3, records="New records"),
        question(5, records="Newest records"),
    ]
    found = texts(messages, Summary(sequence=5, kept=[1]))
    assert found == ["Question 1", "Newest records\n\nQuestion 5"]
    assert texts(messages, Summary(sequence=1, kept=[]))[0] == "Old records\n\nQuestion 1"


def test_a_summary_is_not_told_again_what_a_note_quotes() -> None:
    """Its question may be left out later, while nobody sees the note."""
    note = Message(sequence=2, role=Message.Role.USER, kind=Message.NOTE, content=note_about('Say "4711"'))
    (_question, sent) = window.sent([question(1), note], None)
    assert [entry.content for entry in sent.entries] == [note.content]
    assert "4711" not in sent.said[0].content


def test_records_that_move_to_level_2_are_counted() -> None:
    records = "word " * 3_000
    messages = [question(1), answer(2), question(3, records=records), answer(4), question(5)]
    sent = window.sent(messages, None)

    def cut_in(room: int, level_2: str) -> HistoryCut | None:
        said = [entry for each in sent for entry in each.entries]
        request = ModelRequest(window.prompt(("Level 1", level_2), "", said), (), "m", 100)
        return window.cut_of(request, sent, [], 6, room)

    for level_2 in ("", "old " * 3_000):
        place = cut_in(4_000, level_2)
        assert place is not None
        assert (place.sequence, 3_500 < place.tokens_after < 3_700) == (5, True)
        assert cut_in(3_200, level_2) is None


def test_what_was_sent_before_is_sent_again_only_of_the_same_message_in_the_same_way() -> None:
    messages = [question(1), answer(2, 2), question(3)]
    before = {each.message.sequence: each for each in window.sent(messages, None)}
    again = window.sent(messages, None, before)
    assert [mine is before[mine.message.sequence] for mine in again] == [True, True, True]
    others = [question(1), messages[1], messages[2]]
    assert window.sent(others, None, before)[0].message is others[0]
    (_question, cut, _last) = window.sent(messages, Summary(sequence=2, rounds=1, kept=[1]), before)
    assert [entry.content for entry in cut.entries] == ["Round 1"]
