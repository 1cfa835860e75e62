"""PostgreSQL itself refuses to change events; what folds old ones, and what erases a conversation's, are functions."""

import django.db.models.deletion
from django.db import migrations, models

REFUSE = r"""
CREATE FUNCTION chat_refuse_to_rewrite_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    stack text;
BEGIN
    GET DIAGNOSTICS stack = PG_CONTEXT;
    IF TG_OP = 'TRUNCATE' OR stack !~ '(^|\n)PL/pgSQL function (\w+\.)?chat_(fold|erase)_events\(' THEN
        RAISE EXCEPTION 'events are append-only: % on % refused', TG_OP, TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER chat_streamevent_append_only BEFORE UPDATE OR DELETE ON chat_streamevent
    FOR EACH STATEMENT EXECUTE FUNCTION chat_refuse_to_rewrite_events();
CREATE TRIGGER chat_streamevent_not_emptied BEFORE TRUNCATE ON chat_streamevent
    FOR EACH STATEMENT EXECUTE FUNCTION chat_refuse_to_rewrite_events()
"""
PERMIT = """
DROP TRIGGER chat_streamevent_append_only ON chat_streamevent;
DROP TRIGGER chat_streamevent_not_emptied ON chat_streamevent;
DROP FUNCTION chat_refuse_to_rewrite_events()
"""
#: One step of `chat.events.compaction`, which says what it does. Only deltas of answers that ended are ever folded.
FOLD = """
CREATE FUNCTION chat_fold_events(days integer, stretch integer, row_chars integer)
RETURNS TABLE (events bigint, rows bigint, bytes bigint) LANGUAGE plpgsql SECURITY DEFINER AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH run AS (
        SELECT id, stream_id, after, least(after + stretch, last_sequence) AS up_to FROM (
            SELECT r.id, s.stream_id, greatest(r.folded_to, r.first_sequence - 1) AS after, r.last_sequence
            FROM chat_run r JOIN chat_session s ON s.id = r.session_id
            WHERE r.last_sequence > r.folded_to AND r.ended_at < now() - make_interval(days => days)
            ORDER BY r.ended_at LIMIT 1 FOR NO KEY UPDATE OF r SKIP LOCKED
        ) AS oldest
    ), delta AS (
        SELECT e.stream_id, e.sequence, e.version, e.type, e.message_id, e.created_at, e.data->>'delta' AS text,
               pg_column_size(e.*) AS size,
               e.sequence - row_number() OVER (PARTITION BY e.version, e.type, e.message_id ORDER BY e.sequence) AS island
        FROM run JOIN chat_streamevent e ON e.stream_id = run.stream_id AND e.run_id = run.id
            AND e.sequence > run.after AND e.sequence <= run.up_to
        WHERE e.type = ANY(ARRAY['content_delta', 'reasoning_delta']) AND NOT e.data ? 'folded'
    ), cut AS (
        SELECT *, (sum(char_length(text)) OVER neighbours - char_length(text)) / row_chars AS piece FROM delta
        WINDOW neighbours AS (PARTITION BY version, type, message_id, island ORDER BY sequence)
    ), timed AS (
        SELECT *, (1000000 * extract(epoch FROM created_at - lag(created_at, 1, created_at) OVER piece))::bigint AS gap
        FROM cut WINDOW piece AS (PARTITION BY version, type, message_id, island, piece ORDER BY sequence)
    ), folded AS (
        SELECT stream_id, max(sequence) AS last, count(*) AS count, sum(size) AS size,
            jsonb_build_object('delta', string_agg(text, '' ORDER BY sequence), 'folded', jsonb_build_object(
                'count', count(*),
                'sizes', string_agg(char_length(text)::text, ' ' ORDER BY sequence),
                'gaps', string_agg(gap::text, ' ' ORDER BY sequence)
            )) AS data
        FROM timed GROUP BY stream_id, version, type, message_id, island, piece HAVING count(*) > 1
    ), kept AS (
        UPDATE chat_streamevent e SET data = f.data FROM folded f
        WHERE e.stream_id = f.stream_id AND e.sequence = f.last RETURNING pg_column_size(e.*) AS size
    ), deleted AS (
        DELETE FROM chat_streamevent e USING folded f
        WHERE e.stream_id = f.stream_id AND e.sequence > f.last - f.count AND e.sequence < f.last RETURNING 1
    ), noted AS (
        UPDATE chat_run r SET folded_to = run.up_to FROM run WHERE r.id = run.id
    )
    SELECT coalesce((SELECT sum(count) FROM folded), 0)::bigint, (SELECT count(*) FROM deleted),
        (coalesce((SELECT sum(size) FROM folded), 0) - coalesce((SELECT sum(size) FROM kept), 0))::bigint
    FROM run;
END
$$
"""
#: Who runs may call it, with the rights of who owns the tables: nobody may put other tables or functions in its way.
OF_THE_OWNER = """
DO $$ BEGIN
    EXECUTE format(
        'ALTER FUNCTION chat_fold_events(integer, integer, integer) SET search_path = pg_catalog, %I, pg_temp',
        current_schema());
END $$;
REVOKE ALL ON FUNCTION chat_fold_events(integer, integer, integer) FROM PUBLIC
"""
#: For who owns the tables: a person has the right to have a conversation erased.
ERASE = """
CREATE FUNCTION chat_erase_events(erased bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    counted bigint;
BEGIN
    DELETE FROM chat_streamevent WHERE stream_id = erased;
    GET DIAGNOSTICS counted = ROW_COUNT;
    RETURN counted;
END
$$;
REVOKE ALL ON FUNCTION chat_erase_events(bigint) FROM PUBLIC
"""


class Migration(migrations.Migration):

    dependencies = [
        ('chat', '0004_untrusted_sessions'),
    ]

    operations = [
        # What deletes a stream erases its events first, if it may.
        migrations.AlterField(
            model_name='streamevent',
            name='stream',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='events', to='chat.stream'),
        ),
        migrations.RunSQL(FOLD, "DROP FUNCTION chat_fold_events"),
        migrations.RunSQL(OF_THE_OWNER, migrations.RunSQL.noop),
        migrations.RunSQL(ERASE, "DROP FUNCTION chat_erase_events"),
        migrations.RunSQL(REFUSE, PERMIT),
    ]
