"""A generation whose worker dies: another one makes what it asks for, once."""

from chat.engine.generation_worker import GenerationWorker
from chat.models import Proposal, Run, RunStatus, StructuredRun
from graphs.models import ChangeSet, Folder, UseCase, Workspace
from tests.chat.engine.driving import until
from tests.faults.crash_scripts import asked
from tests.faults.crash_stage import TAKEN_OVER_WITHIN_S, Stage

NAMES = ("Dock planning", "Pallet count")
FIND = {
    "text": "I find two.",
    "delay_s": 0.02,
    "tool_calls": [
        {
            "name": "write_use_case_list",
            "arguments": {
                "reason": "What fits.",
                "useCases": [{"name": name, "description": f"About {name}."} for name in NAMES],
            },
        }
    ],
}


def all_rest() -> None:
    """Drives generations until none waits or is at work. Runs in a worker's process."""
    worker = GenerationWorker()
    live = Run.objects.filter(status__in=[RunStatus.QUEUED, RunStatus.RUNNING])
    until(lambda: not live.exists(), TAKEN_OVER_WITHIN_S)
    worker.close(0)


def generate(stage: Stage) -> None:
    """Two use cases are found, made once, and each is asked for its details once."""
    folder = Folder.objects.create(workspace=Workspace.objects.get(), name="Warehouse")
    body = {"context": {"type": "folder", "id": str(folder.pk)}, "instructions": asked(FIND)}
    run_id = stage.alice.at(stage.first.url).post("/api/v1/structured/use_case_list", body)["runId"]
    stage.dies_at_work("tests.faults.crash_on_generations:all_rest")
    run = Run.objects.get(pk=run_id)
    assert run.status == RunStatus.SUCCEEDED, run.error
    assert sorted(UseCase.objects.filter(folder=folder).values_list("name", flat=True)) == sorted(NAMES)
    proposal = Proposal.objects.get(message=run.message_id)
    assert ChangeSet.objects.filter(pk=proposal.change_set).count() == 1
    details = StructuredRun.objects.filter(parent=run_id)
    assert sorted(details.values_list("place", flat=True)) == [0, 1]
    # What answers them is no details: they fail, each alone, and nothing of the list is lost.
    assert {each.run.status for each in details} == {RunStatus.FAILED}
