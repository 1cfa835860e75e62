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


def draw_portfolio(workspace: Workspace) -> Portfolio:
    company = Company.objects.create(workspace=workspace, name="Northwind")
    folder = Folder.objects.create(workspace=workspace, company=company, name="Warehouse")
    use_cases = [
        UseCase.objects.create(workspace=workspace, folder=folder, **values)
        for values in (
            {"data": {"name": "Slot planning", "problem": "Optimise where goods lie."}},
            {"data": {"name": "Claims triage"}, "status": "ready"},
        )
    ]
    return Portfolio(workspace, company, folder, use_cases)


@pytest.fixture
def portfolio(demo_workspace: Workspace) -> Portfolio:
    return draw_portfolio(demo_workspace)
