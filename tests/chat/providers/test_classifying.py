import aiohttp
import anthropic
import httpx2
import openai
import pytest

from chat.providers.classifying import classify, error_in_stream, redacted
from chat.providers.provider_error import ProviderError

REQUEST = httpx2.Request("POST", "https://api.example/v1/chat")
RETRYABLE = {"rate_limit", "server_error", "timeout", "network"}


def status_error(status: int, body: object = None, module=openai, **headers: str) -> Exception:
    response = httpx2.Response(status, headers={k.replace("_", "-"): v for k, v in headers.items()}, request=REQUEST)
    return module.APIStatusError(f"Error code: {status} - {body}", response=response, body=body)


@pytest.mark.parametrize("module", [openai, anthropic])
@pytest.mark.parametrize(
    ("status", "code"),
    [
        (401, "auth_error"),
        (403, "auth_error"),
        (408, "timeout"),
        (413, "context_length"),
        (429, "rate_limit"),
        (500, "server_error"),
        (502, "server_error"),
        (503, "server_error"),
        (529, "server_error"),
        (404, "internal"),
        (400, "internal"),
    ],
)
def test_it_classifies_by_status(module, status, code):
    error = classify(status_error(status, module=module))
    assert (error.code, error.status, error.retryable) == (code, status, code in RETRYABLE)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"message": "This model's maximum context length is 8192 tokens"}, "context_length"),
        ({"code": "context_length_exceeded", "message": "x"}, "context_length"),
        (
            {"error": {"type": "invalid_request_error", "message": "prompt is too long: 9 tokens > 8 maximum"}},
            "context_length",
        ),
        ({"message": "The response was filtered due to Azure's content management policy"}, "content_filter"),
        ({"message": "Your input was flagged"}, "content_filter"),
        ({"message": "Content Exists Risk"}, "content_filter"),
        ({"code": "invalid_api_key", "message": "x"}, "auth_error"),
        ({"message": "no such parameter"}, "internal"),
        ("not an object", "internal"),
        (None, "internal"),
        ({"code": ["odd"], "type": {}, "message": 5}, "internal"),
    ],
)
def test_it_classifies_a_refused_request_by_its_body(body, code):
    assert classify(status_error(400, body)).code == code


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (429, {"code": "insufficient_quota", "message": "You exceeded your current quota"}),
        (429, {"error": {"message": "You exceeded your current quota, please check your plan"}}),
        (402, {"error": {"message": "Insufficient Balance", "type": "unknown_error"}}),
        (
            400,
            {
                "error": {
                    "type": "invalid_request_error",
                    "message": "Your credit balance is too low to access the API.",
                }
            },
        ),
    ],
)
def test_it_does_not_retry_where_the_account_is_used_up(status, body):
    error = classify(status_error(status, body))
    assert (error.code, error.retryable) == ("rate_limit", False)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 413, 418, 422])
@pytest.mark.parametrize("message", ["rate limit", "Overloaded", "timed out", "ECONNRESET"])
def test_it_never_retries_a_request_that_was_refused_as_such(status, message):
    assert classify(status_error(status, {"message": message})).retryable is False


def test_it_obeys_a_vendor_that_says_not_to_retry():
    assert classify(status_error(503, x_should_retry="false")).retryable is False


@pytest.mark.parametrize(
    ("cause", "code"),
    [
        (aiohttp.ServerDisconnectedError(), "network"),
        (ConnectionResetError(104, "reset"), "network"),
        (aiohttp.ServerTimeoutError("slow"), "timeout"),
        (None, "timeout"),
    ],
)
def test_it_looks_behind_what_the_sdk_calls_a_timeout(cause, code):
    failure = openai.APITimeoutError(request=REQUEST)
    failure.__cause__ = cause
    assert classify(failure).code == code


@pytest.mark.parametrize(
    ("exception", "code"),
    [
        (openai.APIConnectionError(request=REQUEST), "network"),
        (httpx2.ReadError("gone"), "network"),
        (httpx2.ReadTimeout("slow"), "timeout"),
        (TimeoutError(), "timeout"),
        (OSError("no route"), "network"),
        (ValueError("connect ECONNREFUSED 127.0.0.1"), "network"),
        (ValueError("ETIMEDOUT"), "timeout"),
        (KeyError("boom"), "internal"),
    ],
)
def test_it_classifies_what_is_no_answer(exception, code):
    assert classify(exception).code == code


@pytest.mark.parametrize(
    "exception",
    [status_error(400, {"message": "no canary"}), status_error(400, "canary"), ValueError("canary")],
)
def test_what_may_quote_the_request_stands_apart(exception):
    error = classify(exception)
    assert "canary" not in f"{error!r}{error.detail}"
    assert "canary" in error.said


def test_it_leaves_a_provider_error_as_it_is():
    error = ProviderError("timeout", "x")
    assert classify(error) is error


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-proj-abc_DEF-123.",
        "key-0123456789 refused",
        "Authorization: Bearer abc.def.ghi",
        "connect https://user:hunter2abc@proxy.example/v1?api_key=hunter2abc failed",
        "the key my-own-secret is wrong",
    ],
)
def test_it_keeps_keys_and_urls_with_keys_out_of_details(text):
    told = redacted(text, "my-own-secret")
    for secret in ("abc_DEF", "0123456789", "abc.def.ghi", "hunter2abc", "my-own-secret"):
        assert secret not in told


def test_a_key_of_which_a_part_looks_like_a_key_goes_whole():
    assert "tenant" not in redacted("the key tenant-key-0123456789 is wrong", "tenant-key-0123456789")


def test_it_says_which_host_it_was():
    assert redacted("connect https://user:pass@proxy.example/v1?key=1 failed") == "connect https://proxy.example failed"


def test_it_keeps_details_short_and_on_one_line():
    told = redacted(classify(status_error(500, {"message": "a\nb\x1b[31m " + "x" * 5000})).said)
    assert len(told) <= 500
    assert told.isprintable()


@pytest.mark.parametrize("error", [None, "text", [], {}, {"error": None}, {"type": "x", "message": None}])
def test_it_takes_stream_errors_of_any_shape(error):
    assert error_in_stream(error).code == "server_error"
