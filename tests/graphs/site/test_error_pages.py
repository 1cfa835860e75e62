import logging

import pytest
from django.contrib.auth.models import User
from django.test import Client

from graphs.workflows import listing
from tests.cast import signed_in


def test_a_page_that_is_not_there_says_so(alice: User) -> None:
    answer = signed_in(alice).get("/nothing/")
    assert answer.status_code == 404
    assert "There is nothing here" in answer.content.decode()


@pytest.mark.parametrize("address", ["/prompts/new/", "/companies/new/", "/account/password/"])
def test_an_address_of_a_form_says_so_to_who_opens_it(alice: User, address: str) -> None:
    answer = signed_in(alice).get(address)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
    assert "This cannot be opened" in answer.content.decode()


def test_a_form_without_its_csrf_token_can_be_sent_again(alice: User) -> None:
    answer = Client(enforce_csrf_checks=True).post("/accounts/login/", {"username": "alice"})
    assert answer.status_code == 403
    assert "Please try once more" in answer.content.decode()


def test_a_page_that_fails_tells_only_a_number(
    alice: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def explode(*_args: object) -> None:
        raise RuntimeError("secret-canary")

    monkeypatch.setattr(listing, "matching", explode)
    client = signed_in(alice)
    client.raise_request_exception = False
    with caplog.at_level(logging.ERROR):
        answer = client.get("/")
    page = answer.content.decode()
    assert answer.status_code == 500
    assert "canary" not in page
    [record] = [record for record in caplog.records if record.name == "countersign.api"]
    assert str(record.args[0]) in page
