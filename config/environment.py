"""Every variable that Countersign reads, with type and default. One that does not fit stops the start."""

import sys
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field, ValidationError, field_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, SettingsConfigDict

from config.problem import Problem

BASE_DIR = Path(__file__).resolve().parent.parent
#: "count/period", as `graphs.site.api.limits` reads it.
Rate = Annotated[str, Field(pattern=r"^\d+/(s|min|hour)$")]


SHORTEST_TOKEN = 16


class Environment(BaseSettings):
    """Names are those of the environment, in lower case."""

    model_config = SettingsConfigDict(extra="ignore", env_ignore_empty=True)

    # Where things are.
    data_dir: Path = BASE_DIR / ".data"
    database_url: str = ""
    redis_url: str = ""
    redis_prefix: str = "countersign"
    celery_broker_url: str = ""
    #: The file in which beat notes what it sent, where a worker is beat too.
    beat_schedule: str = ""

    # The site.
    debug: bool = False
    secret_key: str = ""
    allowed_hosts: str = "127.0.0.1,localhost,[::1]"
    csrf_trusted_origins: str = ""
    https: bool = False
    demo_password: str = ""

    # Models.
    llm_provider: str = ""
    llm_model: str = ""
    embedding_provider: str = ""
    embedding_model: str = ""
    ai_debug: bool = False
    ai_log_text: bool = False
    ai_log_sink: str = ""
    metrics_token: str = ""
    otel_exporter_otlp_endpoint: str = ""
    stream_idle_timeout_s: float = Field(60, gt=0)
    model_call_timeout_s: float = Field(600, gt=0)

    # Limits of the engine.
    disconnect_grace_s: float = Field(30, ge=0)
    tool_rounds: int = Field(5, ge=1)
    tool_rounds_extended: int = Field(10, ge=1)
    tool_result_tokens: int = Field(2_500, ge=200)
    always_send_tokens: int = Field(4_000, ge=200)

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
    limit_frames: Rate = "50/s"
    limit_sockets: int = Field(20, ge=1)
    max_message_chars: int = Field(32_000, ge=1)
    max_frame_bytes: int = Field(1_048_576, ge=1024)
    max_import_bytes: int = Field(20_971_520, ge=1024)
    max_import_nodes: int = Field(20_000, ge=1)

    # How long a proposal waits for a decision.
    proposal_days: int = Field(7, ge=1)

    # How long the events of answers stay as they were written; afterwards they take less room.
    compact_events_days: int = Field(30, ge=0)

    # How long it can be seen what models were sent; 0 keeps nothing of it.
    ai_keep_requests_days: int = Field(30, ge=0)

    # How fast processes notice each other's death, in seconds.
    heartbeat_s: float = Field(5, gt=0)
    process_silent_s: float = Field(15, gt=0)
    drain_s: float = Field(25, ge=0)

    @field_validator("metrics_token")
    @classmethod
    def _cannot_be_guessed(cls, value: str) -> str:
        if value and len(value) < SHORTEST_TOKEN:
            raise PydanticCustomError("token", f"needs at least {SHORTEST_TOKEN} characters")
        return value

    @field_validator("database_url", "redis_url", "celery_broker_url")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        """Refuses a malformed address before a library does: its error would quote part of the password."""
        try:
            _ = urlsplit(value).port
        except ValueError:
            advice = "is no address; write signs such as / # ? [ in its password as %2F %23 %3F %5B"
            raise PydanticCustomError("address", advice) from None
        return value


def read() -> Environment:
    """The environment of this process. Raises Problem with the names of the variables whose values do not fit."""
    try:
        return Environment()
    except ValidationError as error:
        wrong = [f"  {'.'.join(map(str, found['loc'])).upper()}: {found['msg']}" for found in error.errors()]
        raise Problem("\n".join(["These variables of the environment have values that do not fit:", *wrong])) from error


def csv(text: str) -> list[str]:
    """ "a, b" -> ["a", "b"]; nothing for an empty text."""
    return [part.strip() for part in text.split(",") if part.strip()]


if __name__ == "__main__":
    # For `manage.py up`, which keeps none of the libraries that it takes to read this.
    sys.stdout.write(read().model_dump_json())
