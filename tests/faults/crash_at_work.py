"""Crash scenarios of what workers do by the clock: a task that dies is done by the next one."""

import uuid
from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from chat.models import Presence, Process, Proposal, ProposalStatus, Run, SentRequest, StreamEvent
from graphs.models import Graph, LiveEdit, Node, Workspace
from rag.embeddings import collections
from rag.models import Embedding, EmbeddingFailure, EmbeddingModel
from tests.chat.engine.driving import until
from tests.faults.crash_by_hand import changes_of, renamed
from tests.faults.crash_on_graphs import live_note
from tests.faults.crash_scripts import TELL, asked
from tests.faults.crash_stage import Stage
from tests.proposed import RENAME, waiting
from tests.things import product_of

LONG_AGO = timedelta(days=400)


def expired(stage: Stage) -> str:
    """Nobody decided in time: said once, and the conversation rests."""
    (proposal,) = waiting(User.objects.get(username="alice"), Graph.objects.get(key="nba"), RENAME)
    Proposal.objects.filter(pk=proposal.pk).update(expires_at=timezone.now() - LONG_AGO)
    stage.dies_at_work("chat.tasks:expire_proposals")
    assert Proposal.objects.get(pk=proposal.pk).status == ProposalStatus.EXPIRED
    told = StreamEvent.objects.filter(type="decision", data__proposalId=str(proposal.pk))
    assert told.filter(stream=proposal.session.stream_id).count() == 1
    return str(proposal.session_id)


def folded(stage: Stage) -> str:
    """Readers get every event of an old answer, whatever died while it was folded."""
    session = _answered(stage)
    Run.objects.filter(session=session).update(ended_at=timezone.now() - LONG_AGO)
    stage.dies_at_work("chat.tasks:compact_old_events")
    assert StreamEvent.objects.filter(stream__session=session, data__has_key="folded").exists()
    return session


def forgotten(stage: Stage) -> str:
    """What a model was sent long ago is gone; other conversations keep theirs."""
    session, other = _answered(stage), _answered(stage)
    SentRequest.objects.filter(run__session=session).update(created_at=timezone.now() - LONG_AGO)
    stage.dies_at_work("chat.tasks:forget_old_requests")
    assert not SentRequest.objects.filter(run__session=session).exists()
    assert SentRequest.objects.filter(run__session=other).exists()
    return session


def tidied(stage: Stage) -> None:
    """What nobody asks for any more is gone; what is used is not."""
    long_ago = timezone.now() - LONG_AGO
    key = live_note(stage)
    LiveEdit.objects.filter(key=key).update(saved_at=long_ago)
    silent = Process.objects.create(label=f"silent {uuid.uuid4()}")
    Process.objects.filter(pk=silent.pk).update(seen_at=long_ago)
    stage.dies_at_work("chat.tasks:delete_leftovers")
    assert not LiveEdit.objects.filter(key=key).exists()
    assert not Process.objects.filter(pk=silent.pk).exists()
    assert not Presence.objects.filter(seen_at__lte=long_ago).exists()
    assert Process.objects.count() >= len(stage.site.processes)


def embedded(stage: Stage) -> None:
    """What was renamed has another vector, each node has one, and no graph waits for any."""
    of_renamed = Embedding.objects.filter(target_type="node", target_id=Node.objects.get(key="fetch-api").pk)
    before = set(of_renamed.values_list("content_hash", flat=True))
    rename = {"nodeKey": "fetch-api", "updates": {"name": f"Fetch {uuid.uuid4()}"}}
    stage.at_first("POST", "/api/v1/graphs/nba/changes", {"actions": [{"action": "update_node", "arguments": rename}]})
    stage.dies_at_work("rag.tasks:keep_embeddings")
    assert not collections.waiting(EmbeddingModel.objects.get().name)
    assert not EmbeddingFailure.objects.exists()
    assert Embedding.objects.filter(target_type="node").count() == Node.objects.count()
    assert of_renamed.get().content_hash not in before


def embedded_row(stage: Stage) -> None:
    """A row that was renamed has another vector, which hangs on the header beside it, and nothing waits for one."""
    row = product_of(Workspace.objects.get())
    assert stage.site.run("tests.faults.crashing_task", "rag.tasks:keep_embeddings") == 0
    vector = Embedding.objects.filter(target_type="product", target_id=row.around.pk)
    before = vector.get().content_hash
    stage.at_first("POST", changes_of(row), renamed(row, f"Fetch {uuid.uuid4()}"))
    stage.dies_at_work("rag.tasks:keep_embeddings")
    assert not collections.waiting(EmbeddingModel.objects.get().name)
    assert vector.get().content_hash != before


def _answered(stage: Stage) -> str:
    session: str = stage.ask(asked(TELL))["sessionId"]
    stage.rests(session)
    until(lambda: SentRequest.objects.filter(run__session=session).exists())
    return session
