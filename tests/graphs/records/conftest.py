"""A company with a folder and two use cases, as Alice and others find them."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from graphs.models import Company, Folder, UseCase, Workspace
from tests.graphs.api.callers import with_token

AXES: dict[str, Any] = {
    "valueAxes": [{"id": "gain", "name": "Gain", "weight": 2, "levels": [{"rating": 1, "label": "low", "points": 5}]}],
    "complexityAxes": [{"id": "data", "name": "Data", "weight": 1}],
    "thresholds": {"value": 5, "complexity": 3},
}


@pytest.fixture
def company(demo_workspace: Workspace) -> Company:
    return Company.objects.create(workspace=demo_workspace, name="Northwind Logistics", industry="Transport")


@pytest.fixture
def folder(company: Company) -> Folder:
    return Folder.objects.create(
        workspace=company.workspace, company=company, name="Warehouse", matrix_config=AXES,
        executive_summary={"introduction": "Much can be done."},
    )  # fmt: skip


@pytest.fixture
def picking(folder: Folder) -> UseCase:
    data = {"name": "Picking routes", "problem": "Long ways.", "benefits": ["Faster"], "owner": "Ann", "effort": 3}
    return UseCase.objects.create(workspace=folder.workspace, folder=folder, data=data, model="demo:demo")


@pytest.fixture
def labels(folder: Folder) -> UseCase:
    return UseCase.objects.create(workspace=folder.workspace, folder=folder, data={"name": "Label check"})


@pytest.fixture
def client(alice: User) -> Client:
    return with_token(alice)
