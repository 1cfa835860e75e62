"""Requests made from the OpenAPI document, right ones and wrong ones: answered as the document says, for every role."""

import copy
import os
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.conf import settings as django
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from graphs.site.api import tokens
from graphs.site.api.openapi import document
from tests.doors.world import ROLES, RoleName, World

FULL = bool(os.environ.get("FULL"))
#: Right and wrong requests of each operation and role.
EXAMPLES = 60 if FULL else 3
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
#: Served before Django is asked (`chat/web/sse.py`).
ELSEWHERE = {"streamEvents"}


@pytest.fixture
def served_in_the_transaction() -> Iterator[Any]:
    """The WSGI application, which otherwise would close the test's connection after each request."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield get_wsgi_application()
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def operations(application: Any) -> list[Any]:
    # Schemathesis may write into what it is given.
    described = copy.deepcopy(document(django.LANGUAGE_CODE))
    schema = schemathesis.openapi.from_dict(described, config=SchemathesisConfig.from_dict({}))
    schema.app = application
    found = [result.ok() for result in schema.get_all_operations()]
    return [each for each in found if each.definition.raw["operationId"] not in ELSEWHERE]


@pytest.mark.faults
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("role", ROLES if FULL else ["editor"])
def test_what_the_document_promises_holds(everybody: World, served_in_the_transaction: Any, role: RoleName) -> None:
    headers = {"Host": "testserver"}
    if role != "anonymous":
        headers["Authorization"] = f"Bearer {tokens.issue(everybody.users[role]).access}"
    for operation in operations(served_in_the_transaction):
        for mode in GenerationMode:
            _hold(everybody, role, operation, mode, headers)


def _hold(world: World, role: RoleName, operation: Any, mode: GenerationMode, headers: dict[str, str]) -> None:
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=not FULL,
        phases=[Phase.generate] if not FULL else [Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode), existing=st.sampled_from([True, False]))
    def holds(case: Any, existing: bool) -> None:
        """Half of the requests name what there is: others seldom come further than the 404."""
        if existing:
            ids = {name: world.ids(role, name)["own"] for name in case.path_parameters or {}}
            case.path_parameters = ids or case.path_parameters
            case.headers = {name: value for name, value in (case.headers or {}).items() if name != "X-Workspace"}
        checks = CHECKS if mode is GenerationMode.POSITIVE or existing else [*CHECKS, negative_data_rejection]
        with transaction.atomic():
            case.call_and_validate(headers=headers, checks=checks)
            transaction.set_rollback(True)

    holds()
