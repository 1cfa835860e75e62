"""A vendor that breaks the schema of a form: told once, then nothing is changed and what it wrote kept."""

import pytest
from django.contrib.auth.models import User

from chat.models import Proposal, Run
from graphs.models import ChangeSet, Folder, UseCase
from graphs.models.history import Origin
from tests.chat.engine.broken_forms import FILLED, WAYS, WRITTEN, Way
from tests.chat.engine.driving import rested
from tests.chat.engine.generating import begun, form, generation_worker, states_of, told
from tests.graphs.records.conftest import AXES
from tests.graphs.records.portfolio import Portfolio, portfolio
from tests.vendors import Script, ScriptedCall, VendorServer

__all__ = ["portfolio"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def use_case(portfolio: Portfolio) -> UseCase:
    """A use case in a folder with one axis on either side."""
    Folder.objects.filter(pk=portfolio.folder.pk).update(matrix_config=AXES)
    return portfolio.use_cases[0]


def wrong_with(way: Way, vendor: VendorServer, user: User, use_case: UseCase) -> list[str]:
    """What is not as it has to be when a vendor breaks the schema twice in this way."""
    vendor.script(way.script, way.script)
    asked = len(vendor.requests)
    if way.prompt == "use_case_list":
        run = begun(user, way.prompt, "folder", use_case.folder_id, count=3)
    else:
        run = begun(user, way.prompt, "usecase", use_case.pk)
    rested(run.pk)
    answer, requests = told(user, run), vendor.requests[asked:]
    vendor.reset()
    checks = {
        f"state {answer['state']}": answer["state"] == "failed" and answer["error"]["retryable"] in (True, False),
        f"{len(requests)} requests": len(requests) == 2,
        f"told {requests[-1].body['messages'][-1]}": way.said in str(requests[-1].body["messages"][-1]),
        f"kept {answer['text'][:200]}": way.kept in answer["text"],
        f"states {states_of(run)}": states_of(run) == ["queued", "running", "failed"],
        "something was made": not (answer["changeSets"] or answer["proposals"] or answer["progress"]),
    }
    return [what for what, holds in checks.items() if not holds]


def test_each_way_to_break_it_goes_back_once_and_changes_nothing(
    vendor: VendorServer, alice: User, use_case: UseCase
) -> None:
    assert len({way.name for way in WAYS}) == len(WAYS) >= 30
    with generation_worker():
        wrong = {way.name: found for way in WAYS if (found := wrong_with(way, vendor, alice, use_case))}
    assert wrong == {}
    assert not Proposal.objects.exists()
    assert not ChangeSet.objects.filter(origin=Origin.GENERATION).exists()
    assert Run.objects.count() == len(WAYS)


def test_what_was_cut_is_asked_for_again_and_what_was_filtered_is_not(
    vendor: VendorServer, alice: User, use_case: UseCase
) -> None:
    begun_form = ScriptedCall("write_use_case_detail", WRITTEN[:60])
    cut, filtered = (Script(tool_calls=(begun_form,), finish=reason) for reason in ("length", "content_filter"))
    vendor.script(cut, Script(tool_calls=(form("use_case_detail", **FILLED),)), filtered)
    with generation_worker():
        rested(begun(alice, "use_case_detail", "usecase", use_case.pk).pk)
        use_case.refresh_from_db()
        assert use_case.data["solution"] == "A plan."
        run = begun(alice, "use_case_detail", "usecase", use_case.pk)
        rested(run.pk)
        answer = told(alice, run)
    assert (answer["error"]["code"], len(vendor.requests)) == ("content_filter", 3)
    assert answer["text"] == WRITTEN[:60]


def test_what_came_before_the_connection_broke_is_kept(vendor: VendorServer, alice: User, use_case: UseCase) -> None:
    long = ScriptedCall("write_use_case_detail", FILLED | {"problem": "Pallets wait. " * 100})
    vendor.script(Script(tool_calls=(long,), cut="eof", cut_at=150))
    with generation_worker():
        run = begun(alice, "use_case_detail", "usecase", use_case.pk)
        rested(run.pk)
    assert told(alice, run)["text"].startswith('{"reason": "By the name."')
