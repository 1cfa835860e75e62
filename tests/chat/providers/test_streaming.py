"""Both official SDKs against a real HTTP server: what the wire does, and what comes of it."""

import asyncio
from contextlib import aclosing, suppress
from dataclasses import replace

import pytest

from chat.providers.building import body_of, build
from chat.providers.model_request import PromptMessage
from chat.providers.pieces import Retrying, TextDelta, TurnEnd, Usage
from chat.providers.provider import Price
from chat.providers.provider_error import ProviderError
from tests.chat.providers.reading import KEY, KINDS, ask, config_for, folded, request_of
from tests.vendors import Script, ScriptedCall

pytestmark = pytest.mark.parametrize("kind", KINDS)
HTML = {"raw": b"<html>502 Bad Gateway</html>", "content_type": "text/html"}


def reply_of(kind, vendor, **fields):
    return folded(ask(config_for(kind, vendor, **fields)))


def failure_of(kind, vendor, **fields) -> ProviderError:
    with pytest.raises(ProviderError) as failed:
        ask(config_for(kind, vendor, **fields))
    return failed.value


def test_it_streams_text_reasoning_and_calls(kind, vendor):
    call = ScriptedCall("search_nodes", {"query": "fetch"}, "call_a")
    vendor.script(Script(text="I look it up.", reasoning="I must look.", tool_calls=(call, call)))
    reply = reply_of(kind, vendor)
    assert (reply.text, reply.reasoning, reply.end) == ("I look it up.", "I must look.", "tool_calls")
    assert [(c.name, c.arguments) for c in reply.tool_calls] == [("search_nodes", '{"query": "fetch"}')] * 2
    assert len({c.id for c in reply.tool_calls}) == 2
    assert reply.usage == Usage(100, 20, 40)


def test_it_counts_what_was_kept_in_the_cache_and_what_was_thought(kind, vendor):
    vendor.script(Script(text="x", usage={"input": 100, "output": 20, "cached": 40, "kept": 30, "reasoning": 15}))
    usage = reply_of(kind, vendor).usage
    assert usage == Usage(100, 20, 40, cache_write_tokens=30, reasoning_tokens=15)
    assert Price(3, 0.3, 15, 3.75).cost(usage) == pytest.approx((30 * 3 + 40 * 0.3 + 30 * 3.75 + 20 * 15) / 1e6)
    assert Price(3, 0.3, 15).cost(usage) == pytest.approx((60 * 3 + 40 * 0.3 + 20 * 15) / 1e6)


def test_it_believes_no_part_that_is_larger_than_the_whole(kind, vendor):
    vendor.script(Script(text="x", usage={"input": 100, "output": 20, "cached": 0, "reasoning": 10**6}))
    assert reply_of(kind, vendor).usage.reasoning_tokens == 20


def test_it_gives_pieces_while_the_answer_is_still_being_written(kind, vendor):
    vendor.script(Script(text="one two three", stall_at=5))

    async def first_text() -> str:
        provider = build(config_for(kind, vendor))
        async with aclosing(provider.stream(request_of())) as pieces:
            async for piece in pieces:
                if isinstance(piece, TextDelta):
                    break
        await provider.close()
        return piece.text

    assert asyncio.run(first_text()) == "one "


def test_it_identifies_itself_with_the_key_and_asks_for_plain_bytes(kind, vendor):
    vendor.script(Script(text="x"))
    ask(config_for(kind, vendor))
    headers = vendor.requests[0].headers
    assert KEY in (headers.get("authorization", "") + headers.get("x-api-key", ""))
    assert headers["accept-encoding"] == "identity"


def test_it_uses_a_connection_again(kind, vendor):
    async def ask_twice() -> None:
        provider = build(config_for(kind, vendor))
        for _ in range(2):
            async with aclosing(provider.stream(request_of())) as pieces:
                assert [piece async for piece in pieces][-1] == TurnEnd("stop")
        await provider.close()

    asyncio.run(ask_twice())
    assert vendor.requests[0].connection == vendor.requests[1].connection


def test_it_takes_its_key_to_no_other_address(kind, vendor):
    elsewhere = {"location": f"{vendor.url}/v1/messages"}
    vendor.script(*[Script(status=307, error="moved", headers=elsewhere)] * 3)
    assert failure_of(kind, vendor).status == 307
    assert len(vendor.requests) == 1


def test_it_tells_nobody_the_organisation_of_the_environment(kind, vendor, monkeypatch):
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-1")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "sk-admin-of-the-environment")
    vendor.script(Script(text="x"))
    ask(config_for(kind, vendor))
    assert not {"openai-organization", "openai-project"} & set(vendor.requests[0].headers)
    assert "sk-admin-of-the-environment" not in str(vendor.requests[0].headers)


@pytest.mark.parametrize("cut", ["clean", "eof", "reset"])
def test_it_counts_no_answer_that_was_cut(kind, vendor, cut):
    vendor.script(Script(text="one two three four five", cut=cut, cut_at=6, delay_s=0.01))
    error = failure_of(kind, vendor)
    assert (error.code, error.retryable) == ("network", True)
    assert len(vendor.requests) == 1


@pytest.mark.parametrize("cut", ["eof", "reset"])
def test_it_makes_a_call_again_that_was_cut_before_anything_came(kind, vendor, cut):
    vendor.script(Script(cut=cut), Script(text="Hello"))
    pieces = ask(config_for(kind, vendor))
    assert isinstance(pieces[0], Retrying)
    assert (pieces[0].attempt, pieces[0].error.code) == (2, "network")
    assert folded(pieces).text == "Hello"


def test_it_counts_no_call_that_was_cut_within_its_arguments(kind, vendor):
    call = ScriptedCall("read_node_detail", {"nodeKey": "fetch-api"})
    vendor.script(Script(tool_calls=(call,), cut="clean", cut_at=4))
    assert failure_of(kind, vendor).code == "network"


def test_it_ends_with_length_within_a_call(kind, vendor):
    vendor.script(Script(tool_calls=(ScriptedCall("one", '{"id": 42, "na'),), finish="length"))
    reply = reply_of(kind, vendor)
    assert (reply.end, reply.tool_calls[0].arguments) == ("length", '{"id": 42, "na')


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ({"raw": b"data: {not json\n\n"}, "server_error"),
        (HTML, "server_error"),
        ({"raw": b""}, "network"),
        ({"raw": b"data: " + b"x" * 10_000_000}, "server_error"),
        ({"raw": b'{"error": {"message": "Too many requests"}}', "content_type": "application/json"}, "rate_limit"),
        ({"raw": b"{}", "content_type": "application/json"}, "server_error"),
        ({"status": 401, "error": "Incorrect API key provided: " + KEY}, "auth_error"),
        ({"status": 429, "error": "slow down", "headers": {"retry-after": "3600"}}, "rate_limit"),
        ({"status": 500, "error": "sorry"}, "server_error"),
        ({"status": 529, "error": "Overloaded"}, "server_error"),
        ({"status": 400, "error": "This model's maximum context length is 8192 tokens."}, "context_length"),
        ({"status": 400, "error": "flagged by the content filter"}, "content_filter"),
        ({"status": 404, "error": "no such model"}, "internal"),
    ],
)
def test_it_classifies_what_a_vendor_may_answer(kind, vendor, script, code):
    vendor.script(*[Script(**script)] * 3)
    error = failure_of(kind, vendor)
    assert error.code == code
    assert KEY not in f"{error.detail}{error.said}{error!r}"


def test_it_gives_up_after_three_calls(kind, vendor):
    vendor.script(*[Script(status=503, error="sorry")] * 5)
    assert failure_of(kind, vendor).status == 503
    assert len(vendor.requests) == 3


def test_it_waits_no_hour_for_a_vendor(kind, vendor):
    vendor.script(*[Script(status=429, error="slow down", headers={"retry-after": "3600"})] * 3)
    assert failure_of(kind, vendor).retry_after == 3600
    assert len(vendor.requests) == 1


@pytest.mark.parametrize("stall_at", [0, 5])
def test_it_gives_up_a_vendor_that_says_nothing(kind, vendor, stall_at):
    vendor.script(*[Script(text="one two three four five", stall_at=stall_at)] * 3)
    error = failure_of(kind, vendor, idle_timeout_s=0.15)
    assert (error.code, "0.15" in error.detail) == ("timeout", True)
    assert all(request.disconnected.wait(30) for request in vendor.requests)


def test_it_limits_an_answer_in_all(kind, vendor):
    vendor.script(*[Script(stamps=1000, delay_s=0.02)] * 3)
    error = failure_of(kind, vendor, total_timeout_s=0.2)
    assert (error.code, "longer" in error.detail) == ("timeout", True)


def test_it_counts_an_answer_that_was_cut_after_its_end(kind, vendor):
    if kind != "openai":
        pytest.skip("only Chat Completions says something after the end")
    vendor.script(Script(text="Hello", cut="reset", cut_at=3, delay_s=0.01))
    reply = reply_of(kind, vendor)
    assert (reply.text, reply.end, reply.usage.estimated) == ("Hello", "stop", True)


@pytest.mark.parametrize("leave", ["close", "cancel"])
def test_it_hangs_up_when_nobody_reads_on(kind, vendor, leave):
    vendor.script(Script(stamps=1000, delay_s=0.02))

    async def read_a_little() -> None:
        provider = build(config_for(kind, vendor))
        pieces = provider.stream(request_of())
        while not isinstance(await anext(pieces), TextDelta):
            pass
        if leave == "close":
            await pieces.aclose()
        else:
            reading = asyncio.ensure_future(_drain(pieces))
            await asyncio.sleep(0.05)
            reading.cancel()
            with suppress(asyncio.CancelledError):
                await reading
        assert await asyncio.to_thread(vendor.requests[0].disconnected.wait, 30)
        await provider.close()

    asyncio.run(read_a_little())


def test_it_hangs_up_when_it_is_cancelled_before_the_first_byte(kind, vendor):
    vendor.script(Script(stall_at=0))

    async def ask_and_cancel() -> None:
        provider = build(config_for(kind, vendor))
        asking = asyncio.ensure_future(_drain(provider.stream(request_of())))
        await asyncio.to_thread(vendor.wait_for_requests, 1)
        asking.cancel()
        with suppress(asyncio.CancelledError):
            await asking
        assert await asyncio.to_thread(vendor.requests[0].disconnected.wait, 30)
        await provider.close()

    asyncio.run(ask_and_cancel())


def test_it_refuses_a_connection_that_nobody_takes(kind, vendor):
    closed = replace(config_for(kind, vendor), base_url="http://127.0.0.1:9")
    with pytest.raises(ProviderError) as failed:
        ask(closed)
    assert failed.value.code == "network"


def test_it_sends_the_conversation(kind, vendor):
    vendor.script(Script(text="x"))
    messages = (PromptMessage("system", "Be brief."), PromptMessage("user", "Hello"))
    ask(config_for(kind, vendor), request_of(messages=messages))
    assert "Be brief." in str(vendor.requests[0].body)
    assert vendor.requests[0].body["stream"] is True


@pytest.mark.parametrize("size", [1, 3])
def test_it_reads_an_answer_in_tiny_packets(kind, vendor, size):
    vendor.script(Script(text="Café 🏀", slice_bytes=size))
    assert reply_of(kind, vendor).text == "Café 🏀"


async def _drain(pieces) -> None:
    async for _ in pieces:
        pass


def test_it_sends_any_text_as_json(kind, vendor):
    said = PromptMessage("user", 'é, \u2028, 😀, "quoted\\", \x07 and \x7f')
    config, request = config_for(kind, vendor), replace(request_of(), messages=(said,))
    ask(config, request)
    (sent,) = vendor.requests
    assert sent.body == body_of(config, request)
    assert sent.headers["content-type"] == "application/json"


def test_a_body_is_made_once_for_what_is_sent(kind, vendor):
    """What is kept is what was sent; another request, though it was made of this one, has its own."""
    config, request = config_for(kind, vendor), request_of()
    ask(config, request)
    body = body_of(config, request)
    assert body_of(config, replace(request, deadline=1.0)) is body
    for other in (
        replace(request, messages=(PromptMessage("user", "Something else"),)),
        replace(request, max_tokens=request.max_tokens + 1),
        replace(request, tools_allowed=False),
    ):
        assert body_of(config, other) == body_of(config, replace(other, bodies={}))
        assert body_of(config, other) is not body


def test_a_text_that_no_json_holds_is_a_failure_like_others(kind, vendor):
    with pytest.raises(ProviderError) as failed:
        ask(config_for(kind, vendor), replace(request_of(), messages=(PromptMessage("user", "half a pair \ud800"),)))
    assert (failed.value.code, vendor.requests) == ("internal", [])
