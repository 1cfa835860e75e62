"""Who plays in the tests: Alice edits, Bob looks, Charlie is a stranger from another workspace.

Loaded as a plugin, so every test can name them.
"""

from collections.abc import Iterable
from functools import cache

import pytest
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import Client
from pytest_django import Settings

from graphs.models import Edge, Graph, Membership, Node, Role, Sheet, Workspace

PASSWORD = "correct horse battery staple"


@cache
def hashed(_hasher: str) -> str:
    """The password as it is stored. Hashing is slow on purpose, so it is done once."""
    return make_password(PASSWORD)


def member(username: str, workspace: Workspace, role: Role) -> User:
    user = User.objects.create(
        username=username, email=f"{username}@example.org", password=hashed(settings.PASSWORD_HASHERS[0])
    )
    Membership.objects.create(user=user, workspace=workspace, role=role)
    return user


def save_all(rows: Iterable[Model]) -> None:
    """Saves rows whose table has a parent's beside it, which cannot be created in bulk."""
    for row in rows:
        row.save()


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def quick_passwords(settings: Settings) -> None:
    """Passwords that cost nothing. Only this process knows them: real ones that read its database do not."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def demo_workspace(db: None) -> Workspace:
    return Workspace.objects.create(slug="demo", name="Demo")


@pytest.fixture
def other_workspace(db: None) -> Workspace:
    return Workspace.objects.create(slug="other", name="Other")


@pytest.fixture
def alice(demo_workspace: Workspace) -> User:
    """An editor of the workspace `demo`."""
    return member("alice", demo_workspace, Role.EDITOR)


@pytest.fixture
def bob(demo_workspace: Workspace) -> User:
    """A viewer of the workspace `demo`."""
    return member("bob", demo_workspace, Role.VIEWER)


@pytest.fixture
def charlie(other_workspace: Workspace) -> User:
    """An editor of the workspace `other`, a stranger in `demo`."""
    return member("charlie", other_workspace, Role.EDITOR)


@pytest.fixture
def nba(demo_workspace: Workspace) -> Graph:
    """Three nodes in a row on one sheet: root -> fetch-api -> return."""
    return draw_nba(demo_workspace)


def draw_nba(workspace: Workspace) -> Graph:
    graph = Graph.objects.create(workspace=workspace, key="nba", name="NBA scores", description="Fetches games.")
    sheet = Sheet.objects.create(graph=graph, key="main", name="Main")
    root = Node.objects.create(graph=graph, sheet=sheet, key="root", name="Start", type="starter")
    fetch = Node.objects.create(
        graph=graph, sheet=sheet, key="fetch-api", name="Fetch API", type="api-call", process="return fetch(url)",
        data={"url": "https://example.org"}, pos_x=200,
    )  # fmt: skip
    end = Node.objects.create(graph=graph, sheet=sheet, key="return", name="Return", type="return", pos_x=400)
    for source, target in ((root, fetch), (fetch, end)):
        Edge.objects.create(
            graph=graph, sheet=sheet, key=f"{source.key}-{target.key}", source=source, source_handle="R-0",
            target=target, target_handle="L-0",
        )  # fmt: skip
    return graph
