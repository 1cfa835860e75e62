from graphs.workflows.interchange.keys import UniqueTexts, slug


def test_it_makes_readable_keys() -> None:
    assert slug("HTTP Request", "x") == "http-request"
    assert slug("  Été_2 (neu) ", "x") == "ete-2-neu"
    assert slug("😀", "x") == "x"
    assert len(slug("word " * 100, "x")) <= 100


def test_it_hands_out_each_text_once() -> None:
    unique = UniqueTexts(max_length=5)
    assert [unique.take("set") for _ in range(3)] == ["set", "set-2", "set-3"]
    assert unique.take("set-2") == "set-4" or unique.take("set-2").startswith("set")
    assert len({unique.take("abcde") for _ in range(20)}) == 20
    assert all(len(unique.take("abcde")) <= 5 for _ in range(20))


class CountedSet(set[str]):
    looked = 0

    def __contains__(self, text: object) -> bool:
        self.looked += 1
        return super().__contains__(text)


def test_long_texts_that_are_alike_when_cut_are_not_tried_all_over() -> None:
    unique = UniqueTexts()
    counted = unique._taken = CountedSet()
    wanted = [f"{'x' * 96}{number:04}" for number in range(500)]
    taken = [unique.take(text) for text in wanted for _time in range(2)]
    assert len(set(taken)) == 1_000
    assert max(map(len, taken)) <= 100
    assert counted.looked <= 3 * len(taken)
