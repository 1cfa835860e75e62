"""Every variable refuses what does not fit it, in a sentence that names it and quotes nothing."""

import pytest
from django.conf import settings

from config import environment, processes
from config.environment import Environment
from config.problem import Problem

#: Takes any text: folders, passwords, and names that are looked up where they are used (`chat.checks`, `rag.checks`).
ANY_TEXT = {
    "DATA_DIR", "BEAT_SCHEDULE", "DEMO_PASSWORD", "LLM_PROVIDER", "LLM_MODEL", "EMBEDDING_PROVIDER", "EMBEDDING_MODEL",
}  # fmt: skip
RATES = ["nonsense", "0/min", "-1/s", "10/day", "10", "1e3/s", "٣/min", "10/min\n"]
NUMBERS = ["nonsense", "-1", "1e3", "12 days", "99999999999999999999"]
SECONDS = ["nonsense", "-1", "inf", "nan", "1e300"]
SWITCHES = ["nonsense", "2"]
WRONG = {
    "DATABASE_URL": ["nonsense", "mysql://me@host/name", "postgresql://host", "postgresql://host:x/name"],
    "DATABASE_OWNER_URL": ["nonsense", "mysql://me@host/name", "postgresql://host", "postgresql://host:x/name"],
    "REDIS_URL": ["nonsense", "http://host:6379", "redis://host/first", "redis://host:x/0", "unix://"],
    "CELERY_BROKER_URL": ["nonsense", "http://host", "memory://"],
    "REDIS_PREFIX": ["a b", "{a}", "x" * 51],
    "DEBUG": SWITCHES, "HTTPS": SWITCHES, "HOST_COOKIES": SWITCHES, "AI_DEBUG": SWITCHES, "AI_LOG_TEXT": SWITCHES,
    "LOG_JSON": SWITCHES,
    "DEMO_LANGUAGE": ["nonsense", "FR", "de"],
    "SECRET_KEY": ["nonsense"], "METRICS_TOKEN": ["nonsense"],
    "SECRET_KEY_FALLBACKS": ["nonsense", f"{'x' * 32},short"],
    "ALLOWED_HOSTS": ["https://example.org", "example.org:8000", "example.org/chat", "a b"],
    "CSRF_TRUSTED_ORIGINS": ["example.org", "https://example.org/chat", "ftp://example.org", "https://[::1"],
    "TRUSTED_PROXIES": ["nonsense", "10.0.0.1/8", "10.0.0.0/33", "localhost"],
    "AI_LOG_SINK": ["nonsense", "a.b-c", "a..b", "no.such.thing", "json.nowhere.dumps", "json.dumps.it"],
    "OTEL_EXPORTER_OTLP_ENDPOINT": ["nonsense", "ftp://host", "http://"],
    "SEARCH_PROVIDER": ["nonsense", "SearxNG"], "SEARCH_BASE_URL": ["nonsense", "ftp://host", "http://"],
    "SEARCH_API_KEY": ["clé", "two words", "key\n", "key\u00a0"],
    "FETCH_ALLOW": ["https://example.org", "example.org:80", "*.example.org", "a b", ".example.org"],
    "FETCH_DENY": ["https://example.org", "10.0.0.0/8", "-a.org"],
    "STREAM_IDLE_TIMEOUT_S": [*SECONDS, "0"], "MODEL_CALL_TIMEOUT_S": [*SECONDS, "0"], "DISCONNECT_GRACE_S": SECONDS,
    "HEARTBEAT_S": [*SECONDS, "0"], "PROCESS_SILENT_S": [*SECONDS, "9.9"], "DRAIN_S": SECONDS,
    "TOOL_ROUNDS": [*NUMBERS, "0"], "TOOL_ROUNDS_EXTENDED": [*NUMBERS, "4"],
    "GENERATION_SLOTS": [*NUMBERS, "0", "101"],
    "TOOL_RESULT_TOKENS": [*NUMBERS, "199"], "ALWAYS_SEND_TOKENS": [*NUMBERS, "199"],
    "RETRIEVAL_NODES": [*NUMBERS, "0", "61"], "RETRIEVAL_DEPTH": [*NUMBERS, "4"],
    "RETRIEVAL_PROCESS_CHARS": NUMBERS, "RETRIEVAL_DATA_CHARS": NUMBERS, "RETRIEVAL_CACHE_S": [*NUMBERS, "3601"],
    "LIMIT_LOGIN": RATES, "LIMIT_MESSAGES": RATES, "LIMIT_CHANGES": RATES, "LIMIT_FRAMES": RATES,
    "LIMIT_WRITES": RATES, "LIMIT_IMPORTS": RATES, "LIMIT_ROLLBACKS": RATES,
    "LIMIT_SOCKETS": [*NUMBERS, "0"],
    "LIMIT_UNKNOWN_SOCKETS": [*NUMBERS, "0"],
    "MAX_MESSAGE_CHARS": [*NUMBERS, "0"], "MAX_FRAME_BYTES": [*NUMBERS, "1023"], "MAX_IMPORT_BYTES": [*NUMBERS, "1023"],
    "MAX_IMPORT_NODES": [*NUMBERS, "0"], "MAX_GRAPH_BYTES": [*NUMBERS, "1023"],
    "SIGN_IN_DAYS": [*NUMBERS, "0", "36501"],
    "PROPOSAL_DAYS": [*NUMBERS, "0", "36501"], "COMPACT_EVENTS_DAYS": NUMBERS, "AI_KEEP_REQUESTS_DAYS": NUMBERS,
}  # fmt: skip
RIGHT = [
    ("DATABASE_URL", "postgresql:///countersign?host=/run/postgresql"),
    ("DATABASE_URL", "postgres://me:p%2Fw@[::1]:5432/name"),
    ("REDIS_URL", "rediss://:secret@host:6380/2"),
    ("REDIS_URL", "unix:///run/valkey.sock?db=1"),
    ("REDIS_URL", "redis://host"),
    ("CELERY_BROKER_URL", "sentinel://one:26379;sentinel://two:26379"),
    ("CELERY_BROKER_URL", "amqps://me:secret@host//"),
    ("ALLOWED_HOSTS", "*"),
    ("ALLOWED_HOSTS", "example.org, .example.org,[::1]"),
    ("FETCH_ALLOW", "example.org, docs.example.com,intranet"),
    ("CSRF_TRUSTED_ORIGINS", "https://example.org, http://127.0.0.1:8000,https://*.example.org"),
    ("TRUSTED_PROXIES", "127.0.0.1, 10.0.3.0/28,::1,fd00::/8"),
    ("AI_LOG_SINK", "config.known_secrets.among"),
    ("SECRET_KEY_FALLBACKS", f"{'x' * 32}, {'y' * 40}"),
    ("LIMIT_LOGIN", "1/s"),
    ("TOOL_ROUNDS_EXTENDED", "5"),
    ("PROCESS_SILENT_S", "10"),
]


def test_each_variable_is_known_to_these_tests() -> None:
    assert {name.upper() for name in Environment.model_fields} == WRONG.keys() | ANY_TEXT


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_a_wrong_value_is_refused_by_the_name_of_its_variable(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(Problem) as problem:
        environment.read()
    first, *told = problem.value.sentence.splitlines()
    assert first == "These variables of the environment have values that do not fit:"
    assert [line.split(":")[0].strip() for line in told] == [name]


@pytest.mark.parametrize("name", WRONG)
def test_no_refusal_quotes_what_may_be_a_password(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "canary/:@ [")
    with pytest.raises(Problem) as problem:
        environment.read()
    assert name in problem.value.sentence
    assert "canary" not in problem.value.sentence


@pytest.mark.parametrize(("name", "value"), RIGHT)
def test_a_right_value_is_taken(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    assert str(getattr(environment.read(), name.lower())) in (value, f"{value}.0")


def test_it_names_every_variable_that_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOL_ROUNDS", "many")
    monkeypatch.setenv("LIMIT_LOGIN", "10 a day")
    with pytest.raises(Problem, match=r"(?s)LIMIT_LOGIN: .*TOOL_ROUNDS: |TOOL_ROUNDS: .*LIMIT_LOGIN: "):
        environment.read()


def test_it_takes_an_empty_value_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in WRONG:
        monkeypatch.setenv(name, "")
    assert environment.read() == Environment()
    assert environment.read().tool_rounds == 5


@pytest.mark.parametrize(
    ("lower", "upper", "least"),
    [("TOOL_ROUNDS", "TOOL_ROUNDS_EXTENDED", "11"), ("HEARTBEAT_S", "PROCESS_SILENT_S", "22")],
)
def test_what_contradicts_another_variable_is_refused(
    monkeypatch: pytest.MonkeyPatch, lower: str, upper: str, least: str
) -> None:
    monkeypatch.setenv(lower, "11")
    monkeypatch.delenv(upper, raising=False)
    with pytest.raises(Problem, match=f"{upper}: must be at least .*{lower}"):
        environment.read()
    monkeypatch.setenv(upper, least)
    environment.read()


@pytest.mark.parametrize("name", ["DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL", "CELERY_BROKER_URL"])
def test_what_is_no_address_is_told_without_its_password(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "redis://:canary/secret@host:6379/0")
    with pytest.raises(Problem) as problem:
        environment.read()
    assert f"{name}: is no address" in problem.value.sentence
    assert "canary" not in problem.value.sentence


def test_workers_serve_every_queue_that_tasks_are_sent_to() -> None:
    queues = {settings.CELERY_TASK_DEFAULT_QUEUE, *(route["queue"] for route in settings.CELERY_TASK_ROUTES.values())}
    assert queues == set(processes.QUEUES.split(","))


def test_cookies_that_no_browser_would_take_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOST_COOKIES", "true")
    monkeypatch.delenv("HTTPS", raising=False)
    with pytest.raises(Problem, match="HOST_COOKIES: needs HTTPS=true"):
        environment.read()
    monkeypatch.setenv("HTTPS", "true")
    assert environment.read().host_cookies
