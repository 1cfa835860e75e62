"""A company with a folder of two use cases."""

from dataclasses import dataclass

import pytest

from graphs.models import Company, Folder, UseCase, Workspace


@dataclass(frozen=True, slots=True)
class Portfolio:
    workspace: Workspace
    company: Company
    folder: Folder
    use_cases: list[UseCase]


@pytest.fixture
def portfolio(demo_workspace: Workspace) -> Portfolio:
    company = Company.objects.create(workspace=demo_workspace, name="Northwind")
    folder = Folder.objects.create(workspace=demo_workspace, company=company, name="Warehouse")
    use_cases = [
        UseCase.objects.create(workspace=demo_workspace, folder=folder, **values)
        for values in (
            {"data": {"name": "Slot planning", "problem": "Optimise where goods lie."}},
            {"data": {"name": "Claims triage"}, "status": "ready"},
        )
    ]
    return Portfolio(demo_workspace, company, folder, use_cases)
