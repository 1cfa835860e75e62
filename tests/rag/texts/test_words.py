import pytest

from rag.texts.words import beginning, forms, mentions, plain, search_words


@pytest.mark.parametrize("text", ["fetchApi", "fetch-api", "fetch_api", "Fetch API", "  fetch,api!"])
def test_it_reads_one_name_in_all_its_spellings(text: str) -> None:
    assert plain(text) == "fetch api"


def test_it_leaves_out_what_every_question_says() -> None:
    assert search_words("What does the node fetch-api do?") == ("fetch", "api")


def test_it_leaves_out_french_stop_words() -> None:
    assert search_words("Que fait le nœud fetch-api quand l'API échoue ?") == ("fetch", "api", "échoue")


def test_it_keeps_a_word_once() -> None:
    assert search_words("error, errors and ERROR") == ("error", "errors")


def test_it_takes_the_first_and_the_last_words_of_a_long_text() -> None:
    ends = [*range(12), *range(988, 1000)]
    assert search_words(" ".join(f"word{number}" for number in range(1000))) == tuple(f"word{n}" for n in ends)


def test_a_word_of_the_middle_that_comes_again_at_the_end_is_taken() -> None:
    words = [f"word{number}" for number in range(50)]
    assert search_words(" ".join([*words, "word0", "word25"]))[-2:] == ("word49", "word25")


def test_it_also_looks_for_the_singular_and_without_accents() -> None:
    assert forms("étapes") == ("étapes", "étape", "etapes", "etape")
    assert forms("gas") == ("gas",)


def test_it_takes_the_beginning_of_long_words() -> None:
    assert beginning("sorted") == "sort"
    assert beginning("fetch") == "fetch"


def test_it_sees_keys_in_quotes_marks_and_words() -> None:
    question = 'Compare {{node:fetch-api}}, `sort stats`, "Only active" and «entrée» with error-handler.'
    assert set(mentions(question)) >= {"fetch-api", "sort stats", "Only active", "entrée", "error-handler"}


@pytest.mark.parametrize("end", ["fetch-api", '"fetch-api"', "`fetch-api`", "{{node:fetch-api}}"])
@pytest.mark.parametrize("pasted", ["n{}", '"n{}"', "{{{{node:n{}}}}}"])
def test_it_sees_the_first_and_the_last_keys_of_a_long_text(pasted: str, end: str) -> None:
    seen = mentions(" ".join([*(pasted.format(number) for number in range(1000)), end]))
    assert {"n0", "fetch-api"} <= set(seen)
    assert len(seen) <= 600


def test_it_takes_no_stop_word_for_a_key() -> None:
    assert "if" not in mentions("what happens if it fails")
    assert "if" in mentions('what does "if" do')
