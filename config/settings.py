"""The one settings file. Values come from the environment (`config/environment.py`), of vendors from `vendors`."""

import os
from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path

import dj_database_url
from csp.constants import NONCE, NONE, SELF
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _

from config import environment, known_secrets, local
from config.cursors import Cursor
from config.variable_values import csv
from config.vendors import CHAT_PROVIDERS, EMBEDDING_MODELS  # noqa: F401 - settings, too

ENV = environment.read()
BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = ENV.data_dir.resolve()
_embedded = local.server_paths(DATA_DIR)

# --- the site ---------------------------------------------------------------------------------------------------

DEBUG = ENV.debug
SECRET_KEY = ENV.secret_key or local.secret(DATA_DIR, "secret_key")
SECRET_KEY_FALLBACKS = csv(ENV.secret_key_fallbacks)
ALLOWED_HOSTS = csv(ENV.allowed_hosts)
CSRF_TRUSTED_ORIGINS = csv(ENV.csrf_trusted_origins)
#: Proxies whose X-Forwarded-For says who asks; without any it is who connects (`graphs.site.client_address`).
TRUSTED_PROXIES = [ip_network(network) for network in csv(ENV.trusted_proxies)]

INSTALLED_APPS = [
    "config.apps.SiteConfig",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django.contrib.postgres",
    "csp",
    "rest_framework",
    "drf_spectacular",
    "graphs.apps.GraphsConfig",
    "rag.apps.RagConfig",
    "chat.apps.ChatConfig",
]
MIDDLEWARE = [
    # First, so that what the others answer or refuse protects its reader as well.
    "graphs.site.security_headers.SecurityHeadersMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "graphs.site.refusal_events.RefusalEventsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "graphs.site.known_device.KnownDeviceMiddleware",
    "graphs.site.moved_sessions.MovedSessionsMiddleware",
    "graphs.admin.clean_queries.CleanQueriesMiddleware",
    "graphs.admin.write_limit.WriteLimitMiddleware",
    "graphs.site.error_pages.FormAddressMiddleware",
    "graphs.site.error_pages.DatabaseAwayMiddleware",
]
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
            ],
        },
    },
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "login"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("fr", _("French"))]
LOCALE_PATHS = [BASE_DIR / "config" / "locale"]
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "static-collected"

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "graphs.site.site_words.SiteWordsValidator"},
]

# --- PostgreSQL and Valkey --------------------------------------------------------------------------------------

DATABASES = {
    "default": dj_database_url.parse(ENV.database_url or _embedded.database_url, engine="config.database")
    | {"CONN_MAX_AGE": 0},
}
#: Of the role that owns the tables, where another one runs; read where it is needed only (`graphs.site.owner`).
DATABASE_OWNER_URL = ENV.database_owner_url or ("" if ENV.database_url else lazy(lambda: _embedded.owner_url, str)())
#: A network that is gone without a word is noticed within half a minute (this means nothing on a unix socket).
DATABASES["default"]["OPTIONS"] = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,
    # PostgreSQL puts parameters in, and a connection keeps the plan of a statement that it has run so often: planning
    # takes as long as running where a statement is small.
    "server_side_binding": True,
    "cursor_factory": Cursor,
    "prepare_threshold": 5,
} | DATABASES["default"].get("OPTIONS", {})
#: After an outage the pool is back within seconds; the library's own patience would grow to minutes.
DATABASES["default"]["OPTIONS"]["pool"] = {"min_size": 1, "max_size": 20, "timeout": 10, "reconnect_timeout": 3}
REDIS_URL = ENV.redis_url or _embedded.redis_url
#: Names of Valkey channels and keys begin with this; sites and tests that share a server set their own.
REDIS_PREFIX = ENV.redis_prefix

# --- Celery -----------------------------------------------------------------------------------------------------

CELERY_BROKER_URL = ENV.celery_broker_url or local.celery_url(REDIS_URL)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_DEFAULT_QUEUE = "default"
#: What can wait for minutes, and generations; `manage.py up` starts workers for all queues.
CELERY_TASK_ROUTES = {
    "rag.tasks.*": {"queue": "embeddings"},
    "chat.tasks.generate": {"queue": "generations"},
    "chat.tasks.take_over_generations": {"queue": "generations"},
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 4 * 3600}
#: The file of beat, where a worker is beat too (`config/beat.py`).
#: Of a worker's own environment, which it may have got as it was forked.
BEAT_SCHEDULE = lazy(lambda: environment.read().beat_schedule, str)()
CELERY_BEAT_SCHEDULE = {
    "delete-leftovers": {"task": "chat.tasks.delete_leftovers", "schedule": timedelta(minutes=5)},
    "expire-proposals": {"task": "chat.tasks.expire_proposals", "schedule": timedelta(minutes=5)},
    "settle-crashed-calls": {"task": "chat.tasks.settle_crashed_calls", "schedule": timedelta(minutes=1)},
    "take-over-generations": {
        "task": "chat.tasks.take_over_generations",
        "schedule": timedelta(seconds=10),
        "options": {"expires": 10},
    },
    # Where nobody serves its queue, they do not pile up.
    "keep-embeddings": {
        "task": "rag.tasks.keep_embeddings",
        "schedule": timedelta(seconds=30),
        "options": {"expires": 30},
    },
    "look-at-objects": {
        "task": "rag.tasks.look_at_objects",
        "schedule": timedelta(hours=1),
        "options": {"expires": 3600},
    },
    "compact-old-events": {"task": "chat.tasks.compact_old_events", "schedule": timedelta(days=1)},
    "forget-old-requests": {"task": "chat.tasks.forget_old_requests", "schedule": timedelta(hours=6)},
}

# --- the doors --------------------------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "graphs.site.api.authentication.BearerAuthentication",
        "graphs.site.api.authentication.CookieAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_THROTTLE_CLASSES": ["graphs.site.api.throttles.WriteThrottle"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["graphs.site.api.parsers.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "graphs.site.api.problems.problem_response",
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Countersign",
    "DESCRIPTION": "Talk with a language model about workflow graphs; every change is a proposal.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "POSTPROCESSING_HOOKS": ["graphs.site.api.openapi.complete"],
}
#: A program that renews its tokens in time signs in anew after so many days.
SIGN_IN_DAYS = ENV.sign_in_days
SIMPLE_JWT = {
    "ALGORITHM": "HS256",
    "ACCESS_TOKEN_LIFETIME": timedelta(minutes=15),
    "REFRESH_TOKEN_LIFETIME": timedelta(days=7),
    "CHECK_REVOKE_TOKEN": True,
    "ISSUER": "countersign",
    "AUDIENCE": "countersign-api",
}
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF, NONCE],
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    },
}
#: Frames, referrers, openers, cookies (Lax, HttpOnly) and the size of bodies have Django's defaults, which are strict.
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_HTTPONLY = True
_COOKIES = "__Host-" if ENV.host_cookies else ""
SESSION_ENGINE = "graphs.site.browser_sessions"
SESSION_COOKIE_NAME = f"{_COOKIES}sessionid"
CSRF_COOKIE_NAME = f"{_COOKIES}csrftoken"
LANGUAGE_COOKIE_NAME = f"{_COOKIES}django_language"
KNOWN_DEVICE_COOKIE_NAME = f"{_COOKIES}known-device"
CSRF_FAILURE_VIEW = "graphs.site.error_pages.csrf_failure"
FILE_UPLOAD_HANDLERS = [
    "graphs.site.uploads.SizeLimit",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
if ENV.https:
    SECURE_SSL_REDIRECT = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
    SECURE_HSTS_SECONDS = 31_536_000
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
    LANGUAGE_COOKIE_SECURE = True

# --- models of vendors ------------------------------------------------------------------------------------------

LLM_PROVIDER = ENV.llm_provider
LLM_MODEL = ENV.llm_model
#: "local", "none", or a provider of `CHAT_PROVIDERS` that speaks as OpenAI does (docs/embeddings.md).
EMBEDDING_PROVIDER = ENV.embedding_provider
EMBEDDING_MODEL = ENV.embedding_model
#: What the events of docs/observing.md say: details, what people and models wrote, and who takes them down.
AI_DEBUG = ENV.ai_debug
AI_LOG_TEXT = ENV.ai_log_text
AI_LOG_SINK = ENV.ai_log_sink
#: The token that opens /metrics, and the address that spans go to, if there are any.
METRICS_TOKEN = ENV.metrics_token
if METRICS_TOKEN and (_counts := os.environ.get("PROMETHEUS_MULTIPROC_DIR")):
    local.require_metrics_folder(Path(_counts))
OTEL_EXPORTER_OTLP_ENDPOINT = ENV.otel_exporter_otlp_endpoint
STREAM_IDLE_TIMEOUT_S = ENV.stream_idle_timeout_s
MODEL_CALL_TIMEOUT_S = ENV.model_call_timeout_s

# --- the web ----------------------------------------------------------------------------------------------------

#: "searxng", "tavily" or "demo"; without one no model is offered the tools that search and read the web.
SEARCH_PROVIDER = ENV.search_provider
SEARCH_BASE_URL = ENV.search_base_url
SEARCH_API_KEY = ENV.search_api_key
#: Hosts with their subdomains: those that alone are asked, if there are any, and those that are not.
FETCH_ALLOW = [host.lower() for host in csv(ENV.fetch_allow)]
FETCH_DENY = [host.lower() for host in csv(ENV.fetch_deny)]

# --- limits -----------------------------------------------------------------------------------------------------

DISCONNECT_GRACE_S = ENV.disconnect_grace_s
TOOL_ROUNDS = ENV.tool_rounds
TOOL_ROUNDS_EXTENDED = ENV.tool_rounds_extended
GENERATION_SLOTS = ENV.generation_slots
#: Tokens of one tool result in the history of a model (docs/prompt.md).
TOOL_RESULT_TOKENS = ENV.tool_result_tokens
#: Tokens of all records together that a workspace always sends.
ALWAYS_SEND_TOKENS = ENV.always_send_tokens
#: What a model gets to see of a graph with a question, and for how long that is kept (docs/retrieval.md).
RETRIEVAL_NODES = ENV.retrieval_nodes
RETRIEVAL_DEPTH = ENV.retrieval_depth
RETRIEVAL_PROCESS_CHARS = ENV.retrieval_process_chars
RETRIEVAL_DATA_CHARS = ENV.retrieval_data_chars
RETRIEVAL_CACHE_S = ENV.retrieval_cache_s
LIMIT_LOGIN = ENV.limit_login
LIMIT_MESSAGES = ENV.limit_messages
LIMIT_CHANGES = ENV.limit_changes
LIMIT_WRITES = ENV.limit_writes
LIMIT_IMPORTS = ENV.limit_imports
LIMIT_ROLLBACKS = ENV.limit_rollbacks
LIMIT_FRAMES = ENV.limit_frames
LIMIT_SOCKETS = ENV.limit_sockets
#: Sockets of an address that have not said whose they are, at each process.
LIMIT_UNKNOWN_SOCKETS = ENV.limit_unknown_sockets
MAX_MESSAGE_CHARS = ENV.max_message_chars
MAX_FRAME_BYTES = ENV.max_frame_bytes
MAX_IMPORT_BYTES = ENV.max_import_bytes
MAX_GRAPH_BYTES = ENV.max_graph_bytes
MAX_IMPORT_NODES = ENV.max_import_nodes
PROPOSAL_DAYS = ENV.proposal_days
COMPACT_EVENTS_DAYS = ENV.compact_events_days
AI_KEEP_REQUESTS_DAYS = ENV.ai_keep_requests_days
HEARTBEAT_S = ENV.heartbeat_s
PROCESS_SILENT_S = ENV.process_silent_s
DRAIN_S = ENV.drain_s

_REDACTING = {
    "()": "config.known_secrets.RedactingFormatter",
    "style": "{",
    "secrets": known_secrets.among()
    | {SECRET_KEY, *SECRET_KEY_FALLBACKS, *filter(None, [DATABASES["default"].get("PASSWORD")])},
    "rows": AI_LOG_TEXT,
}
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            **_REDACTING,
            **({"()": "config.known_secrets.JsonFormatter"} if ENV.log_json else {}),
            "format": "{asctime} {levelname} {name}: {message}",
        },
        "json": {**_REDACTING, "format": "{message}"},
    },
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": "line"},
        "events": {"class": "logging.StreamHandler", "formatter": "json"},
    },
    "root": {"handlers": ["stderr"], "level": "INFO"},
    "loggers": {
        "django.request": {"level": "ERROR"},
        "django.security.DisallowedHost": {"level": "CRITICAL"},
        "httpx2": {"level": "WARNING"},
        "celery": {"level": "WARNING"},
        "countersign": {"level": "DEBUG" if AI_DEBUG else "INFO"},
        "countersign.events": {"level": "DEBUG", "handlers": ["events"], "propagate": False},
    },
}
