from rag.retrieval.naming import KEY_MARKED, KEY_SAID, NAME_SAID, said

THINGS = [(1, "fetch-api", "Fetch players"), (2, "n2", "Order"), (3, "n3", "Order mail"), (4, "n4", "If")]


def test_a_key_is_surer_than_a_name() -> None:
    assert said("Does fetch-api come before order mail?", THINGS) == {1: KEY_SAID, 3: NAME_SAID}


def test_a_marked_key_is_surer_than_a_key() -> None:
    assert said("Does {{node:fetch-api}} come before n2?", THINGS) == {1: KEY_MARKED, 2: KEY_SAID}


def test_a_name_in_quotes_is_a_name() -> None:
    assert said('What does "If" do?', THINGS) == {4: NAME_SAID}


def test_a_name_within_a_longer_one_is_not_said() -> None:
    things = [(1, "a", "New York"), (2, "b", "New York City")]
    assert said("Who lives in New York City?", things) == {2: NAME_SAID}
    assert said("Is New York City in New York?", things) == {1: NAME_SAID, 2: NAME_SAID}


def test_a_common_word_is_no_name_but_two_of_them_are() -> None:
    things = [(1, "a", "Mother"), (2, "b", "Mother board")]
    assert said("who is her mother", things, common={"mother", "board"}) == {}
    assert said("replace the mother board", things, common={"mother", "board"}) == {2: NAME_SAID}


def test_all_things_of_one_name_are_said() -> None:
    assert said("what does fetch players do", [(1, "x", "Fetch players"), (2, "y", "fetch_players")]) == {
        1: NAME_SAID,
        2: NAME_SAID,
    }
