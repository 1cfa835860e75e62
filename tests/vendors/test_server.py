import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from tests.vendors import Script, VendorServer
from tests.vendors.scenarios import SCENARIOS, scenario_of


def post(url: str, body: object) -> bytes:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.read()


def chat(server_url: str, *messages: dict, **fields) -> str:
    body = post(
        f"{server_url}/v1/chat/completions", {"model": "m", "max_tokens": 100, "messages": list(messages), **fields}
    )
    events = [json.loads(line[6:]) for line in body.decode().splitlines() if line.startswith("data: {")]
    return "".join(c["delta"].get("content") or "" for event in events for c in event["choices"])


def user(text: str) -> dict:
    return {"role": "user", "content": text}


def test_it_echoes_without_a_script():
    with VendorServer(strict=False) as vendor:
        assert chat(vendor.url, user("Hi"), tools=[{}]) == "You said: Hi"
        assert vendor.requests[0].answered.wait(10)


def test_it_takes_queued_scripts_first_and_in_order():
    with VendorServer(strict=False) as vendor:
        vendor.script(Script(text="one"), Script(text="two"))
        assert [chat(vendor.url, user("SCRIPT:hello")) for _ in range(3)] == ["one", "two", SCENARIOS["hello"][0].text]


def test_it_finds_scenarios_in_what_the_user_wrote():
    assert scenario_of("please SCRIPT:rate_limit now")[1][0].status == 429
    assert scenario_of('SCRIPT={"text": "a"} and SCRIPT:network, then SCRIPT:rate_limit')[0] == "rate_limit"
    assert scenario_of('SCRIPT={"text": "a", "tool_calls": [{"name": "x"}]} and more')[1][0].tool_calls[0].name == "x"
    assert scenario_of("nothing") is None


def test_it_answers_a_round_of_tools_with_the_next_script():
    with VendorServer(strict=False) as vendor:
        asked = user("data first\n\nSCRIPT:tools")
        called = {"role": "assistant", "tool_calls": [{}]}
        assert chat(vendor.url, asked) == "I look."
        assert chat(vendor.url, asked, called, {"role": "tool", "content": "x"}) == "I found {{node:fetch-api}}."


def test_it_forgets_and_takes_scripts_over_http():
    with VendorServer(strict=False) as vendor:
        post(f"{vendor.url}/scripts", [{"text": "from afar"}])
        assert chat(vendor.url, user("Hi")) == "from afar"
        with urllib.request.urlopen(f"{vendor.url}/requests", timeout=10) as answer:
            assert json.loads(answer.read())[0]["body"]["messages"] == [user("Hi")]
        post(f"{vendor.url}/reset", {})
        assert vendor.requests == []


@pytest.mark.processes
def test_it_runs_as_a_process_of_its_own():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-m", "tests.vendors", "--port", str(port)], stdout=subprocess.PIPE)
    try:
        assert process.stdout.readline().startswith(b"Vendor:")
        for _ in range(100):
            try:
                assert chat(f"http://127.0.0.1:{port}", user("SCRIPT:hello"))
                break
            except OSError:
                time.sleep(0.1)
        else:
            raise AssertionError("the vendor did not answer")
    finally:
        process.terminate()
        process.wait(30)


def test_it_refuses_what_the_vendors_refuse():
    orphan = {"role": "tool", "tool_call_id": "c", "content": "found"}
    with VendorServer() as vendor, pytest.raises(urllib.error.HTTPError, match="400"):
        chat(vendor.url, user("Hi"), orphan, max_tokens=100)
