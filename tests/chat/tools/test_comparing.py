"""Comparing two versions of an object by a tool."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.subjects import tools
from chat.subjects.tools import CallRefused, ParsedCall
from chat.tools.tool import ToolContext
from graphs.history import editing
from graphs.models import Folder, UseCase, Workspace
from graphs.objects.actions import parse
from graphs.objects.headers import existing
from graphs.objects.refs import Ref
from graphs.site.access import member_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(demo_workspace: Workspace) -> Folder:
    return Folder.objects.create(workspace=demo_workspace, name="Warehouse", description="Old")


@pytest.fixture
def slots(folder: Folder) -> UseCase:
    return UseCase.objects.create(workspace=folder.workspace, folder=folder, data={"name": "Slots", "problem": "A"})


def changed(user: User, ref: Ref, **updates: Any) -> None:
    member = member_of(user)
    of = existing(member.workspace.pk, ref)
    assert of is not None
    action = parse("update_object", {"object": str(ref), "updates": updates})
    editing.edit(member, of, editing.Request([action]))


def compared(user: User, ref: Ref, a: Any, b: Any) -> Any:
    call = tools.parse("compare_versions", f'{{"object": "{ref}", "a": {a}, "b": {b}}}', tools.by_name())
    if isinstance(call, CallRefused):
        return call.message
    assert isinstance(call, ParsedCall)
    return tools.run(call, ToolContext(member_of(user), None))


def test_each_field_is_told_in_both_versions(slots: UseCase, alice: User) -> None:
    ref = Ref("usecase", str(slots.pk))
    changed(alice, ref, **{"data.problem": "B"})
    changed(alice, ref, **{"data.problem": "C", "data.benefits": ["Faster"]})
    found = compared(alice, ref, 1, 3)
    assert {each["field"]: (each["a"], each["b"]) for each in found["differences"]} == {
        "data.problem": ("A", "C"),
        "data.benefits": (None, ["Faster"]),
    }
    (back,) = compared(alice, ref, 2, 1)["differences"]
    assert (back["a"], back["b"]) == ("B", "A")
    assert compared(alice, ref, 2, 2)["differences"] == []


def test_a_summary_is_compared_by_its_own_sections(folder: Folder, alice: User) -> None:
    changed(alice, Ref("folder", str(folder.pk)), description="New")
    changed(alice, Ref("executive_summary", str(folder.pk)), **{"executive_summary.analysis": "Much."})
    found = compared(alice, Ref("executive_summary", str(folder.pk)), 1, 3)
    assert [each["field"] for each in found["differences"]] == ["executive_summary.analysis"]


def test_long_values_and_long_lists_are_cut(slots: UseCase, alice: User) -> None:
    ref = Ref("usecase", str(slots.pk))
    fields = ("description", "problem", "solution")
    changed(alice, ref, **{f"data.{name}": "x" * 9_000 for name in fields})
    found = compared(alice, ref, 1, 2)
    assert len(str(found)) < 8_000
    assert found["differences"][0]["b"].endswith("…")


def test_a_version_that_is_not_there_is_named(slots: UseCase, alice: User) -> None:
    ref = Ref("usecase", str(slots.pk))
    assert "has no version 9: the present one is 1" in compared(alice, ref, 1, 9)["error"]
    assert "do not fit" in compared(alice, ref, 0, 1)
    assert "do not fit" in compared(alice, ref, 1, 2**31)


def test_what_is_foreign_is_answered_as_what_is_absent(slots: UseCase, other_workspace: Workspace, alice: User) -> None:
    foreign = UseCase.objects.create(workspace=other_workspace, data={"name": "Secret"})
    told = [
        str(compared(alice, Ref("usecase", key), 1, 1)).replace(key, "KEY")
        for key in (str(foreign.pk), "0a5e3d3c-8e0e-4a39-8f0f-000000000000")
    ]
    assert told[0] == told[1]
    assert "There is no" in told[0]


def test_of_long_values_that_begin_alike_the_difference_is_told(slots: UseCase, alice: User) -> None:
    ref, alike = Ref("usecase", str(slots.pk)), "so and so " * 500
    changed(alice, ref, **{"data.problem": f"{alike}before"})
    changed(alice, ref, **{"data.problem": f"{alike}after"})
    (found,) = compared(alice, ref, 2, 3)["differences"]
    assert (found["a"][-9:], found["b"][-8:]) == ("so before", "so after")
    call = tools.parse("read_history", f'{{"object": "{ref}"}}', tools.by_name())
    assert isinstance(call, ParsedCall)
    told: Any = tools.run(call, ToolContext(member_of(alice), None))
    (change,) = told["versions"][0]["changes"]
    assert (change["old"][-6:], change["new"][-5:]) == ("before", "after")
