import pytest
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from graphs.site.api.parameters import LONGEST_IDEMPOTENCY_KEY, idempotency_key, number, object_name
from graphs.site.api.problems import Problem


def asked(headers: dict[str, str] | None = None, **parameters: str) -> Request:
    return Request(APIRequestFactory().get("/", parameters, headers=headers))


def test_a_number_has_a_default_and_bounds() -> None:
    assert number(asked(), "after", 7, 10) == 7
    assert number(asked(after="0"), "after", 7, 10) == 0
    assert number(asked(after="10"), "after", 7, 10) == 10
    assert number(asked(limit="1"), "limit", 7, 10, least=1) == 1


@pytest.mark.parametrize("text", ["", "-1", "0", "11", "1.0", "1e1", "９", "x", "9" * 5_000])
def test_it_refuses_what_is_no_number_or_out_of_bounds(text: str) -> None:
    with pytest.raises(Problem) as refused:
        number(asked(limit=text), "limit", 7, 10, least=1)
    assert refused.value.errors == {"limit": ["“limit” is a number from 1 to 10."]}


def test_an_object_is_named_by_kind_and_key() -> None:
    assert object_name(asked(object="graph:nba"), "object") == ("graph", "nba")
    assert object_name(asked(object="graph:a:b"), "object") == ("graph", "a:b")
    assert object_name(asked(), "object") == ("", "")


@pytest.mark.parametrize("text", ["nba", "graph:", ":nba", ":", "graph:n\nba", "graph:n\x00ba"])
def test_it_refuses_what_names_no_object(text: str) -> None:
    with pytest.raises(Problem) as refused:
        object_name(asked(context=text), "context")
    assert (refused.value.status, list(refused.value.errors or ())) == (400, ["context"])


def test_a_request_may_name_itself() -> None:
    assert idempotency_key(asked()) is None
    longest = "k" * LONGEST_IDEMPOTENCY_KEY
    assert idempotency_key(asked({"Idempotency-Key": longest})) == longest


@pytest.mark.parametrize("key", ["", "k" * (LONGEST_IDEMPOTENCY_KEY + 1), "a\tb"])
def test_it_refuses_a_key_that_is_none(key: str) -> None:
    with pytest.raises(Problem) as refused:
        idempotency_key(asked({"Idempotency-Key": key}))
    assert refused.value.code == "validation"
