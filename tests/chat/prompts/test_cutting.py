from hypothesis import given
from hypothesis import strategies as st

from chat.prompts.cutting import FILLED_AFTER, Section, cut_history, room_for_prompt, summary_room

kinds = st.sampled_from(["question", "question", "answer", "pinned"])
histories = st.lists(st.tuples(kinds, st.integers(1, 3_000)), max_size=30)
rounds = st.lists(st.integers(1, 3_000), max_size=12)


def parts_of(history: list[tuple[str, int]], own: list[int]) -> list[Section]:
    """A conversation whose last message is the question that is being answered."""
    listed = [
        Section(number, tokens, asks=kind == "question", stays=kind == "pinned")
        for number, (kind, tokens) in enumerate(history, 1)
    ]
    asked = Section(len(listed) + 1, 200, asks=True, stays=True)
    return [*listed, asked, *(Section(asked.sequence + 1, tokens, round=number) for number, tokens in enumerate(own))]


@given(histories, rounds, st.integers(4_000, 60_000))
def test_what_is_left_fits_and_the_question_and_the_last_round_stay(
    history: list[tuple[str, int]], own: list[int], room: int
) -> None:
    parts = parts_of(history, own)
    place = cut_history(parts, 1_000, room)
    if place is None:
        return
    asked = max(part.sequence for part in parts if part.asks)
    gone = [part for part in parts if (part.sequence, part.round or 0) < (place.sequence, place.rounds)]
    left = [part for part in parts if part not in gone or part.sequence in place.kept]
    assert 1_000 + summary_room(room) + sum(part.tokens for part in left) == place.tokens_after <= room
    assert asked in {part.sequence for part in left}
    assert parts[-1] in left
    assert all(part in left for part in parts if part.stays)
    assert [part for part in gone if part.sequence not in place.kept]


@given(histories, rounds, st.integers(4_000, 60_000))
def test_it_cuts_before_a_question_or_within_the_answer_under_way(
    history: list[tuple[str, int]], own: list[int], room: int
) -> None:
    parts = parts_of(history, own)
    if place := cut_history(parts, 1_000, room):
        first = next(part for part in parts if (part.sequence, part.round or 0) == (place.sequence, place.rounds))
        assert first.asks or first.round is not None


def test_it_keeps_as_much_as_leaves_room_for_more() -> None:
    parts = [Section(number, 1_000, asks=number % 2 == 1) for number in range(1, 21)]
    place = cut_history([*parts, Section(21, 100, asks=True, stays=True)], 1_000, 20_000)
    assert place is not None
    assert place.tokens_after <= 20_000 * FILLED_AFTER
    assert (place.sequence, place.rounds, place.kept) == (15, 0, ())


def test_it_cuts_within_one_answer_when_the_question_is_the_first() -> None:
    parts = [Section(1, 100, asks=True, stays=True), *(Section(2, 3_000, round=number) for number in range(5))]
    place = cut_history(parts, 1_000, 12_000)
    assert place is not None
    assert (place.sequence, place.rounds, place.kept) == (2, 4, (1,))


def test_the_last_records_before_the_cut_become_level_2() -> None:
    """Also those of the question that is being answered, which stays."""
    asked = Section(3, 1_100, asks=True, stays=True, records=1_000)
    own = [Section(4, 400, round=n) for n in range(2)]
    parts = [Section(1, 900, asks=True, records=800), Section(2, 50), asked, *own]
    for room, sequence, level_2, left in ((8_000, 3, 800, 1_900), (3_300, 4, 1_000, 500)):
        place = cut_history(parts, 100, room, records=600)
        assert place is not None
        assert (place.sequence, place.tokens_after) == (sequence, 100 + level_2 + summary_room(room) + left)


def test_nothing_helps_where_one_message_is_too_long() -> None:
    too_long = Section(3, 9_000, asks=True, stays=True)
    assert cut_history([Section(1, 100, asks=True), Section(2, 50), too_long], 1_000, 8_000) is None
    assert cut_history([], 1_000, 500) is None


def test_the_room_leaves_space_for_the_answer_and_for_other_ways_of_counting() -> None:
    assert room_for_prompt(200_000, 4_096) == 150_000
    assert room_for_prompt(8_192, 4_096) == 4_096
    assert room_for_prompt(2_000, 4_096) == 0
