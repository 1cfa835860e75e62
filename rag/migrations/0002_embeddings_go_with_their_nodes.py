"""What is deleted takes its vectors along, however it is deleted; and vectors lie in their rows, to be read in one go."""

from typing import ClassVar

from django.db import migrations

FORGET = """
CREATE FUNCTION rag_forget_nodes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Who is storing vectors of these graphs ends first (rag/embeddings/storing.py); deleters do not wait for each other.
    PERFORM pg_advisory_xact_lock_shared(1380009728, (graph_id % 2147483647)::int)
        FROM (SELECT DISTINCT graph_id FROM gone ORDER BY graph_id) AS graphs;
    DELETE FROM rag_embedding USING gone WHERE target_type = 'node' AND target_id = gone.id;
    DELETE FROM rag_embeddingfailure USING gone WHERE target_type = 'node' AND target_id = gone.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER rag_forget_nodes AFTER DELETE ON graphs_node
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION rag_forget_nodes()
"""
REMEMBER = "DROP TRIGGER rag_forget_nodes ON graphs_node; DROP FUNCTION rag_forget_nodes"


class Migration(migrations.Migration):
    dependencies: ClassVar = [("rag", "0001_embeddings")]
    operations: ClassVar = [
        migrations.RunSQL(FORGET, REMEMBER),
        migrations.RunSQL("ALTER TABLE rag_embedding ALTER vector SET STORAGE MAIN", migrations.RunSQL.noop),
    ]
