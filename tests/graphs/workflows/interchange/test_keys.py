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
