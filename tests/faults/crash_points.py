"""Every place where the product has an effect that a kill could tear from the next one, named after its function.

`tests/faults/test_crash_points.py` kills a process before and after each of `POINTS`; a place that is on none of these
lists fails `tests/faults/test_listed_crash_points.py`. Names are `module:function`, as in `tests/faults/crashing.py`,
with `:on_commit` for what runs after a commit.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Point:
    """`scenario` is the function of `tests/faults/crash_scenarios.py` that gets there; the `nth` crossing counts."""

    place: str
    scenario: str = "question"
    nth: int = 1


POINTS = (
    # a message is taken
    Point("chat.actions.conversations:post_message"),
    Point("chat.actions.posting:post"),
    Point("chat.engine.runs:start:on_commit"),
    Point("chat.events.append:wake:on_commit"),
    # or waits for the one before it
    Point("chat.engine.runs:start:on_commit", "queue"),
    Point("chat.engine.doorbell:ring", "queue"),
    Point("chat.engine.claims:claim", "queue"),
    # a process drives its run
    Point("chat.engine.enriching:enrich"),
    Point("chat.engine.enriching:store_system_prompt"),
    Point("chat.engine.calling:perform"),
    Point("chat.engine.calling:perform", nth=2),
    Point("chat.engine.answer:LiveAnswer.show"),
    Point("chat.engine.answer:LiveAnswer.show", nth=5),
    Point("chat.subjects.tools:run"),
    Point("chat.engine.run_storage:save_round"),
    Point("chat.engine.run_storage:finish"),
    # and proposes changes
    Point("chat.engine.acting:ProposalRound.perform", "propose"),
    # for which budgets pay
    Point("chat.spending.reserving:reserve", "paid"),
    Point("chat.engine.calling:perform", "paid"),
    Point("chat.engine.answer:LiveAnswer.show", "paid", nth=3),
    Point("chat.engine.run_storage:finish", "paid"),
    Point("chat.spending.reserving:cover", "paid_twice"),
    Point("chat.spending.crashed:_settle", "settled"),
    # its conversation is too long for its model
    Point("chat.spending.reserving:reserve", "summarise"),
    Point("chat.engine.calling:perform", "summarise"),
    Point("chat.spending.settling:record_costs_now", "summarise"),
    Point("chat.engine.summarising:store_summary", "summarise"),
    Point("chat.engine.calling:perform", "summarise", nth=2),
    # the log
    Point("chat.events.writer:GroupWriter._commit"),
    Point("chat.events.writer:GroupWriter._commit", nth=2),
    Point("chat.events.writer:GroupWriter._commit", nth=5),
    Point("chat.events.hub:Hub._publish_forever"),
    Point("chat.events.presence:renew", "poll"),
    Point("chat.events.presence:renew_and_last", "watch"),
    # what else a person may ask
    Point("chat.actions.conversations:answer", "go_on"),
    Point("chat.actions.conversations:retry", "retry"),
    Point("chat.actions.conversations:stop", "stop"),
    Point("chat.actions.conversations:_stop:on_commit", "stop"),
    Point("chat.actions.deepening:deepen", "deeper"),
    Point("chat.actions.proposing_again:propose_again", "propose_again"),
    Point("chat.actions.pinning:keep_message", "keep"),
    Point("chat.actions.pinning:always_send", "always"),
    Point("chat.actions.conversations:update_session", "rename"),
    Point("chat.actions.conversations:delete_session", "delete"),
    # a proposal is decided
    Point("chat.actions.deciding:decide", "decide"),
    Point("chat.actions.deciding:decide", "decide_row"),
    # a graph is edited, live and by hand
    Point("graphs.workflows.live.editing:edit", "live_edit"),
    Point("chat.live.rooms:Rooms._publish_forever", "live_edit"),
    Point("graphs.workflows.live.editing:take_back", "take_back"),
    Point("graphs.history.live_edits:save_edits", "leave"),
    Point("graphs.history.live_edits:save_due", "save_in_time"),
    Point("graphs.history.editing:edit", "edit_by_hand"),
    Point("graphs.api.history:_rolled_back", "roll_back"),
    # a worker does what is due
    Point("chat.actions.deciding:expire", "expired"),
    Point("chat.events.compaction:_step", "folded"),
    Point("chat.sent_requests.keeping:_forget", "forgotten"),
    Point("chat.tasks:delete_leftovers", "tidied"),
    Point("graphs.history.live_edits:forget_old", "tidied"),
    Point("rag.embeddings.storing:store_vectors", "embedded"),
    Point("rag.embeddings.updating:_finish", "embedded"),
    # processes come and go
    Point("chat.engine.claims:register", "start"),
    Point("chat.engine.run_storage:give_back", "hand_over"),
    Point("chat.engine.claims:leave", "hand_over"),
)

#: Places where no process is killed, with the reason.
HARMLESS = {
    "chat.engine.heartbeat:Heartbeat.beat": "one statement, repeated every few seconds",
    "chat.engine.claims:abandon": "only after a driver broke; killed there, its run is that of a dead process",
    "chat.events.wakeup:wake_readers": "no web process publishes here, its hub does; readers poll when it is lost",
    "chat.actions.deciding:preview": "changes nothing",
    "chat.events.notices:_make": "a graph or workspace without its stream gets it with its first event",
    "graphs.history.changes:apply_all": "one transaction; the order of what is done in it is its own",
    "graphs.history.changes:write": "a savepoint of apply and of a rollback, in which the database may refuse",
    "graphs.history.editing:create_object": "one transaction, as edit, which is killed; nobody had the object before",
    "graphs.history.rollback:roll_back": "one transaction, as apply; in the API a savepoint of _rolled_back",
    "chat.engine.acting:ProposalRound._propose": "a savepoint of the transaction of perform",
    "graphs.objects.model_rows:save": "a savepoint of apply and of a rollback, in which the database may refuse",
    "graphs.objects.model_store:_deleted": "the same",
    "graphs.objects.headers:header_of": "one statement: a header without changes, made again by whoever comes next",
    "graphs.models.objects:Object.save": "one statement; the house changes graphs otherwise, programs may call it",
    "graphs.history.outside:notice": "one transaction: what others saved stands in the history, or is noticed later",
    "graphs.workflows.exports:_one_moment": "writes nothing",
    "graphs.workflows.imports:import_graph": "one transaction, nothing of a conversation: the graph is there or not",
    "graphs.workflows.imports:_create_graph": "a savepoint of that transaction",
    "config.management.commands.seed_demo:Command.handle": "one transaction of the first start, which the next repeats",
    "chat.spending.settling:release": "of a call that was never made; killed before it, it is settled with its run",
    "rag.embeddings.background:_pausing": "one row; without it the budget is asked again sooner",
    "rag.embeddings.waking:_send": "a wake-up that is lost costs half a minute",
    "rag.sources.graphs.nodes:wake_for_new_graph:on_commit": "the same",
    "rag.sources.graphs.nodes:wake_for_change:on_commit": "the same",
    "rag.sources.objects.collection:wake_for_change:on_commit": "the same",
    "rag.sources.objects.collection:wake_for_save:on_commit": "the same",
    "rag.embeddings.serving_model:switch_to": "one transaction: one model serves or the other",
    "rag.embeddings.serving_model:delete_all_but": "one transaction; what is left of them is dropped as below",
    "rag.embeddings.serving_model:_stored": "one row, made once; who comes later finds it",
    "rag.embeddings.serving_model:add_pending": "the same",
    "rag.embeddings.serving_model:_discard_vectors": "the new length comes last; without it all of this is done again",
    "rag.embeddings.failing:record_failure": "one statement; without it the text is tried again sooner",
    "rag.embeddings.background:_record_failure": "the same for a model",
    "rag.embeddings.background:work": "a model that never answered; the next look deletes it",
    "rag.embeddings.background:ModelPass._record_success": "the same for a model that is well again",
    "rag.embeddings.dropping:_drop": "what it did not get to, the next look of a worker drops",
    "rag.embeddings.dropping:_delete_some": "the same",
    "graphs.site.telemetry.spans:provider": "writes nothing: the word is the SDK's",
    "rag.embeddings.openai:OpenAIEmbedder._asked": "writes nothing: the word is the SDK's",
    "rag.sources.graphs.cache:name_types_anew:on_commit": "what was kept before is shown for two minutes more",
    "rag.embeddings.background:look_at_everything": "one statement; without it what others changed waits an hour more",
    "rag.embeddings.collections:forget_gone": "one statement, which every pass of a worker makes",
    "rag.embeddings.updating:_to_embed": "vectors of what is gone, which the next look at everything finds again",
    "rag.sources.objects.collection:_make_headers": "one statement; the next pass makes what lacks",
    "graphs.history.outside:_noticed": "in the transaction of who saves; without it the row is noticed later",
    "graphs.history.outside:_notice_row:on_commit": "the row is noticed later, as after a bulk update",
    "graphs.history.outside:_look_at": "one statement; without it the row is looked at within an hour",
    "rag.embeddings.updating:mark_begun": "one row; without it the graph is looked at as if for the first time",
    "rag.embeddings.vector_indexes:_build": "an index that is not whole is dropped and built again",
    "rag.embeddings.vector_indexes:drop": "an index that nobody knows is dropped by the next look of a worker",
    "rag.admin:EmbeddingModelAdmin.try_again": "two statements of a person who may ask again",
    "rag.admin:EmbeddingFailureAdmin.try_again": "three statements of the same",
}

#: Functions that write, but only within a transaction that their caller holds.
WITHIN_TRANSACTION = {
    "chat.engine.runs:start": "post_message, answer, retry, deepen, apply_decisions",
    "chat.engine.turns:apply_decisions": "whoever decides",
    "chat.engine.turns:_next_of": "apply_decisions",
    "chat.actions.conversations:_stop": "stop, delete_session",
    "chat.actions.conversations:open_session": "post_message",
    "chat.engine.claims:_take": "claim",
    "chat.engine.claims:beat": "claim",
    "chat.engine.claims:_take_over": "claim, post_message, answer, retry, apply_decisions",
    "chat.engine.open_calls:close": "post_message, claim",
    "chat.engine.run_storage:Provenance.save_to": "ProposalRound.perform",
    "chat.engine.run_storage:store_round": "save_round, ProposalRound.perform",
    "chat.engine.run_storage:end": "finish, ProposalRound.perform",
    "chat.actions.pinning:_forget_summaries": "keep_message",
    "chat.actions.pinning:_keep_beside_summaries": "keep_message",
    "chat.sent_requests.keeping:keep": "record_costs",
    "chat.sent_requests.keeping:_store": "keep",
    "chat.spending.settling:record_costs": "what stores a round or an end, record_costs_now, a crashed call",
    "chat.spending.settling:_settle": "the same, release",
    "chat.spending.settling:_count": "record_costs",
    "chat.spending.uses:_begun": "reserve, record_costs",
    "chat.spending.reserving:_store": "reserve",
    "chat.events.append:append": "it raises where there is none",
    "chat.actions.deciding:_claimed": "decide",
    "chat.actions.deciding:_approve": "decide",
    "chat.proposals.closing:_close": "decide, expire, stop, delete_session",
    "chat.proposals.proposing:propose": "the end of the round that proposes",
    "chat.proposals.proposing:_let_through": "the end of the round that proposes",
    "config.management.commands.seed_demo:_seed": "the command seed_demo",
    "graphs.objects.holding:hold": "apply",
    "graphs.objects.holding:raise_versions": "a rollback",
    "graphs.history.fast_updates:apply": "apply",
    "graphs.history.fast_rollback:take_back": "a rollback",
    "graphs.history.recording:record": "apply, a rollback, an import, saving",
    "graphs.workflows.store:_delete": "apply, a rollback, a live edit",
    "graphs.workflows.store:_update": "apply, a rollback, a live edit",
    "graphs.workflows.store:_create": "apply, a rollback, a live edit",
    "graphs.workflows.store:GraphStore.write": "apply, a rollback",
    "graphs.objects.model_store:ModelStore.write": "apply, a rollback",
    "graphs.objects.model_store:_created": "apply, a rollback",
    "graphs.objects.model_store:_updated": "apply, a rollback",
    "graphs.objects.model_store:_deleted": "apply, a rollback",
    "graphs.objects.model_rows:save": "apply, a rollback",
    "graphs.history.outside:_remember": "notice",
    "graphs.workflows.live.editing:_do": "edit, take_back",
    "graphs.history.live_edits:_save": "save_edits, save_due",
    "graphs.workflows.imports:_create_node_types": "import_graph",
    "graphs.workflows.imports:_create_nodes": "import_graph",
    "graphs.workflows.imports:_create_edges": "import_graph",
}
