"""Every variable that Countersign reads, with type and default. One that does not fit stops the start."""

import sys
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, SettingsConfigDict

from config.problem import Problem
from config.variable_values import (
    ApiKey,
    BrokerURL,
    DatabaseURL,
    FunctionPath,
    HostNames,
    Hosts,
    Key,
    Keys,
    Networks,
    Origins,
    PageAddress,
    Prefix,
    Rate,
    RedisURL,
    Token,
)

BASE_DIR = Path(__file__).resolve().parent.parent
#: Beyond these a number is a mistake, and some would be too large for a date or for PostgreSQL.
MOST = 1_000_000_000
Seconds = Annotated[float, Field(le=86_400, allow_inf_nan=False)]
Days = Annotated[int, Field(le=36_500)]


class Environment(BaseSettings):
    """Names are those of the environment, in lower case."""

    model_config = SettingsConfigDict(extra="ignore", env_ignore_empty=True)

    # Where things are.
    data_dir: Path = BASE_DIR / ".data"
    database_url: DatabaseURL = ""
    #: Of the role that owns the tables and migrates; without it that of DATABASE_URL does.
    database_owner_url: DatabaseURL = ""
    redis_url: RedisURL = ""
    redis_prefix: Prefix = "countersign"
    celery_broker_url: BrokerURL = ""
    #: The file in which beat notes what it sent, where a worker is beat too.
    beat_schedule: str = ""

    # The site.
    debug: bool = False
    secret_key: Key = ""
    #: Keys of before: what they have signed still counts.
    secret_key_fallbacks: Keys = ""
    allowed_hosts: Hosts = "127.0.0.1,localhost,[::1]"
    csrf_trusted_origins: Origins = ""
    https: bool = False
    #: Whether cookies have names that browsers take from this very host alone. Set or unset it signs everybody out.
    host_cookies: bool = False
    #: Addresses and networks of proxies whose X-Forwarded-For is believed.
    trusted_proxies: Networks = ""
    demo_password: str = ""
    demo_language: Literal["en", "fr"] = "en"

    # Models.
    llm_provider: str = ""
    llm_model: str = ""
    embedding_provider: str = ""
    embedding_model: str = ""
    ai_debug: bool = False
    ai_log_text: bool = False
    log_json: bool = False
    ai_log_sink: FunctionPath = ""
    metrics_token: Token = ""
    otel_exporter_otlp_endpoint: PageAddress = ""
    stream_idle_timeout_s: Seconds = Field(60, gt=0)
    model_call_timeout_s: Seconds = Field(600, gt=0)

    # What is read of the web (docs/fetching.md).
    search_provider: Literal["", "searxng", "tavily", "demo"] = ""
    search_base_url: PageAddress = ""
    search_api_key: ApiKey = ""
    fetch_allow: HostNames = ""
    fetch_deny: HostNames = ""

    # Limits of the engine.
    disconnect_grace_s: Seconds = Field(30, ge=0)
    tool_rounds: int = Field(5, ge=1, le=100)
    tool_rounds_extended: int = Field(10, ge=1, le=200)
    #: Structured generations of a workspace that are at work at a time.
    generation_slots: int = Field(4, ge=1, le=100)
    tool_result_tokens: int = Field(2_500, ge=200, le=100_000)
    always_send_tokens: int = Field(4_000, ge=200, le=100_000)

    # What a model gets to see of a graph with a question.
    retrieval_nodes: int = Field(20, ge=1, le=60)
    retrieval_depth: int = Field(2, ge=0, le=3)
    retrieval_process_chars: int = Field(500, ge=0, le=10_000)
    retrieval_data_chars: int = Field(200, ge=0, le=10_000)
    retrieval_cache_s: int = Field(120, ge=0, le=3_600)

    # Limits of the doors.
    limit_login: Rate = "10/min"
    limit_messages: Rate = "120/min"
    limit_changes: Rate = "300/min"
    limit_writes: Rate = "300/min"
    limit_imports: Rate = "30/min"
    limit_rollbacks: Rate = "60/min"
    limit_frames: Rate = "50/s"
    limit_sockets: int = Field(20, ge=1, le=10_000)
    limit_unknown_sockets: int = Field(100, ge=1, le=100_000)
    max_message_chars: int = Field(32_000, ge=1, le=1_000_000)
    max_frame_bytes: int = Field(1_048_576, ge=1024, le=MOST)
    max_import_bytes: int = Field(20_971_520, ge=1024, le=MOST)
    max_graph_bytes: int = Field(20_000_000, ge=1024, le=MOST)
    max_import_nodes: int = Field(20_000, ge=1, le=1_000_000)

    # How long a program that renews its tokens in time stays signed in.
    sign_in_days: Days = Field(30, ge=1)

    # How long a proposal waits for a decision.
    proposal_days: Days = Field(7, ge=1)

    # How long the events of answers stay as they were written; afterwards they take less room.
    compact_events_days: Days = Field(30, ge=0)

    # How long it can be seen what models were sent; 0 keeps nothing of it.
    ai_keep_requests_days: Days = Field(30, ge=0)

    # How fast processes notice each other's death, in seconds.
    heartbeat_s: Seconds = Field(5, gt=0)
    process_silent_s: Seconds = Field(15, gt=0)
    drain_s: Seconds = Field(25, ge=0)

    @field_validator("host_cookies")
    @classmethod
    def _is_encrypted(cls, value: bool, info: ValidationInfo) -> bool:
        if value and info.data.get("https") is False:
            raise PydanticCustomError("encrypted", "needs HTTPS=true: browsers take no such cookies without TLS")
        return value

    @field_validator("tool_rounds_extended", "process_silent_s")
    @classmethod
    def _is_more_than_its_other(cls, value: float, info: ValidationInfo) -> float:
        """Refuses what contradicts another variable; one that does not fit itself is told alone."""
        lower, factor = _LOWER_BOUNDS[str(info.field_name)]
        if lower in info.data and value < factor * info.data[lower]:
            least = f"{factor} times {lower.upper()}" if factor > 1 else lower.upper()
            raise PydanticCustomError("bound", "must be at least {least}", {"least": least})
        return value


#: What has to be at least so many times another: a process that beats more seldom would count as dead.
_LOWER_BOUNDS = {"tool_rounds_extended": ("tool_rounds", 1), "process_silent_s": ("heartbeat_s", 2)}


def read() -> Environment:
    """The environment of this process. Raises Problem with the names of the variables whose values do not fit."""
    try:
        return Environment()
    except ValidationError as error:
        wrong = [f"  {'.'.join(map(str, found['loc'])).upper()}: {found['msg']}" for found in error.errors()]
        raise Problem("\n".join(["These variables of the environment have values that do not fit:", *wrong])) from error


if __name__ == "__main__":
    # For `manage.py up`, which keeps none of the libraries that it takes to read this.
    sys.stdout.write(read().model_dump_json())
