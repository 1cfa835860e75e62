"""The tables of vectors. What is deleted takes its vectors along, however it is deleted; vectors lie in their rows."""

import django.db.models.functions.datetime
import pgvector.django
import pgvector.django.halfvec
from django.db import migrations, models


def forget(name, table, target_type, collection):
    """A trigger that deletes the vectors of deleted rows of a table."""
    return f"""
CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Who is storing vectors of these collections ends first (rag/embeddings/storing.py); deleters do not wait for each
    -- other.
    PERFORM pg_advisory_xact_lock_shared(1380009728, hashtext(collection))
        FROM (SELECT DISTINCT {collection} AS collection FROM gone ORDER BY 1) AS collections;
    DELETE FROM rag_embedding USING gone WHERE target_type = {target_type} AND target_id = gone.id;
    DELETE FROM rag_embeddingfailure USING gone WHERE target_type = {target_type} AND target_id = gone.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER {name} AFTER DELETE ON {table}
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION {name}()
"""


FORGET_NODES = forget("rag_forget_nodes", "graphs_node", "'node'", "'graph:' || graph_id")
FORGET_OBJECTS = forget("rag_forget_objects", "graphs_object", "gone.type", "'objects:' || workspace_id")


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('graphs', '0001_initial'),
    ]

    operations = [
        pgvector.django.VectorExtension(),
        migrations.CreateModel(
            name='EmbeddingModel',
            fields=[
                ('name', models.CharField(max_length=120, primary_key=True, serialize=False, verbose_name='model')),
                ('dimensions', models.PositiveSmallIntegerField(null=True, verbose_name='dimensions')),
                ('serves', models.BooleanField(default=False, verbose_name='answers questions')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='since')),
                ('failures', models.PositiveIntegerField(default=0, verbose_name='failures in a row')),
                ('code', models.CharField(blank=True, max_length=20, verbose_name='reason')),
                ('retry_at', models.DateTimeField(null=True, verbose_name='asked again at')),
            ],
            options={
                'verbose_name': 'embedding model',
                'verbose_name_plural': 'embedding models',
                'ordering': ('-serves', 'name'),
                'constraints': [models.UniqueConstraint(condition=models.Q(('serves', True)), fields=('serves',), name='one_model_serves')],
            },
        ),
        migrations.CreateModel(
            name='EmbeddedCollection',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('model', models.CharField(max_length=120, verbose_name='model')),
                ('version', models.BigIntegerField(default=0, verbose_name='version')),
                ('indexed', models.BooleanField(default=False, verbose_name='has an index of its own')),
                ('fitted', models.BooleanField(db_default=False, verbose_name='has the index that it needs')),
                ('paused_until', models.DateTimeField(null=True, verbose_name='without a budget until')),
                ('collection', models.CharField(max_length=60, verbose_name='collection')),
            ],
            options={
                'verbose_name': 'embedded collection',
                'verbose_name_plural': 'embedded collections',
                'constraints': [models.UniqueConstraint(fields=('collection', 'model'), name='one_state_per_collection_and_model')],
            },
        ),
        migrations.CreateModel(
            name='Embedding',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('target_type', models.CharField(max_length=30, verbose_name='kind')),
                ('target_id', models.BigIntegerField(verbose_name='target')),
                ('part', models.PositiveSmallIntegerField(default=0, verbose_name='part')),
                ('model', models.CharField(max_length=120, verbose_name='model')),
                ('dimensions', models.PositiveSmallIntegerField(verbose_name='dimensions')),
                ('content_hash', models.BinaryField(max_length=16, verbose_name='hash of the text')),
                ('vector', pgvector.django.halfvec.HalfVectorField(verbose_name='vector')),
                ('collection', models.CharField(max_length=60, verbose_name='collection')),
            ],
            options={
                'verbose_name': 'embedding',
                'verbose_name_plural': 'embeddings',
                'indexes': [models.Index(fields=['collection', 'model'], name='vectors_of_collection')],
                'constraints': [models.UniqueConstraint(fields=('target_type', 'target_id', 'part', 'model'), name='one_vector_per_part')],
            },
        ),
        migrations.CreateModel(
            name='EmbeddingFailure',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('target_type', models.CharField(max_length=30, verbose_name='kind')),
                ('target_id', models.BigIntegerField(verbose_name='target')),
                ('part', models.PositiveSmallIntegerField(default=0, verbose_name='part')),
                ('model', models.CharField(max_length=120, verbose_name='model')),
                ('content_hash', models.BinaryField(db_default=b'', max_length=16, verbose_name='hash of the text')),
                ('code', models.CharField(max_length=20, verbose_name='reason')),
                ('attempts', models.PositiveIntegerField(default=1, verbose_name='attempts')),
                ('failed_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='failed')),
                ('retry_at', models.DateTimeField(null=True, verbose_name='tried again at')),
                ('collection', models.CharField(max_length=60, verbose_name='collection')),
            ],
            options={
                'verbose_name': 'failed embedding',
                'verbose_name_plural': 'failed embeddings',
                'ordering': ('-failed_at', '-id'),
                'indexes': [models.Index(fields=['model', 'retry_at'], name='failures_to_retry')],
                'constraints': [models.UniqueConstraint(fields=('target_type', 'target_id', 'part', 'model'), name='one_failure_per_part')],
            },
        ),
        migrations.RunSQL(FORGET_NODES, "DROP TRIGGER rag_forget_nodes ON graphs_node; DROP FUNCTION rag_forget_nodes"),
        migrations.RunSQL(FORGET_OBJECTS, "DROP TRIGGER rag_forget_objects ON graphs_object; DROP FUNCTION rag_forget_objects"),
        migrations.RunSQL("ALTER TABLE rag_embedding ALTER vector SET STORAGE MAIN", migrations.RunSQL.noop),
    ]
