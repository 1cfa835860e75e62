from bench.question_processes import SHARE, Saturated, _cores, throughput_rows


def seen(web: int, share: float, per_second: float, **cores: float) -> Saturated:
    named = {name.replace("_", "-"): used for name, used in cores.items()}
    return Saturated(web, share, per_second, named)


FOUND = [
    seen(1, 1.0, 40, web_1=0.97, PostgreSQL=0.4),
    seen(2, 1.0, 52, web_1=0.7, web_2=0.7, PostgreSQL=0.55),
    seen(1, SHARE, 16, web_1=0.39, PostgreSQL=0.16),
    seen(2, SHARE, 30, web_1=0.38, web_2=0.38, PostgreSQL=0.3),
]


def test_the_target_speaks_of_processes_that_leave_a_core_free() -> None:
    as_they_are, spare = throughput_rows(FOUND)
    assert (as_they_are.result, as_they_are.target) == (1.3, None)
    assert (spare.result, spare.target, spare.met) == (1.875, 1.7, True)
    slow = [*FOUND[:3], seen(2, SHARE, 20, web_1=0.2, web_2=0.2, PostgreSQL=0.2)]
    assert list(throughput_rows(slow))[1].met is False


def test_it_says_what_limits() -> None:
    assert [each.limit(2) for each in FOUND] == [
        "a web process has all that it may use",
        "all cores are full",
        "a web process has all that it may use",
        "a web process has all that it may use",
    ]
    assert seen(2, 1.0, 20, web_1=0.4, web_2=0.4, PostgreSQL=0.3).limit(2).startswith("nothing is full")


def test_the_cores_of_each_process_are_shown() -> None:
    heads, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in _cores(FOUND, 2).splitlines())
    one, two = (dict(zip(heads, row, strict=True)) for row in rows[:2])
    assert (one["questions a second"], one["web-1"], one["web-2"], one["in all"]) == ("40.0", "0.97", "", "1.37")
    assert one["with all 2 cores full"] == "1.46 x"
    assert (two["web-2"], two["what limits"]) == ("0.70", "all cores are full")
