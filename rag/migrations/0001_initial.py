"""The tables of vectors. What is deleted takes its vectors along, however it is deleted; vectors lie in their rows."""

import django.db.models.deletion
import django.db.models.functions.datetime
import pgvector.django
import pgvector.django.halfvec
from django.db import migrations, models


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
            name='EmbeddedGraph',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('model', models.CharField(max_length=120, verbose_name='model')),
                ('version', models.PositiveIntegerField(default=0, verbose_name='version')),
                ('indexed', models.BooleanField(default=False, verbose_name='has an index of its own')),
                ('fitted', models.BooleanField(db_default=False, verbose_name='has the index that it needs')),
                ('paused_until', models.DateTimeField(null=True, verbose_name='without a budget until')),
                ('graph', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='graphs.graph', verbose_name='graph')),
            ],
            options={
                'verbose_name': 'embedded graph',
                'verbose_name_plural': 'embedded graphs',
                'constraints': [models.UniqueConstraint(fields=('graph', 'model'), name='one_state_per_graph_and_model')],
            },
        ),
        migrations.CreateModel(
            name='Embedding',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('target_type', models.CharField(choices=[('node', 'node')], max_length=20, verbose_name='kind')),
                ('target_id', models.BigIntegerField(verbose_name='target')),
                ('part', models.PositiveSmallIntegerField(default=0, verbose_name='part')),
                ('model', models.CharField(max_length=120, verbose_name='model')),
                ('dimensions', models.PositiveSmallIntegerField(verbose_name='dimensions')),
                ('content_hash', models.BinaryField(max_length=16, verbose_name='hash of the text')),
                ('vector', pgvector.django.halfvec.HalfVectorField(verbose_name='vector')),
                ('graph', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='graphs.graph', verbose_name='graph')),
            ],
            options={
                'verbose_name': 'embedding',
                'verbose_name_plural': 'embeddings',
                'indexes': [models.Index(fields=['graph', 'model'], name='vectors_of_graph')],
                'constraints': [models.UniqueConstraint(fields=('target_type', 'target_id', 'part', 'model'), name='one_vector_per_part')],
            },
        ),
        migrations.CreateModel(
            name='EmbeddingFailure',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('target_type', models.CharField(choices=[('node', 'node')], max_length=20, verbose_name='kind')),
                ('target_id', models.BigIntegerField(verbose_name='target')),
                ('part', models.PositiveSmallIntegerField(default=0, verbose_name='part')),
                ('model', models.CharField(max_length=120, verbose_name='model')),
                ('content_hash', models.BinaryField(db_default=b'', max_length=16, verbose_name='hash of the text')),
                ('code', models.CharField(max_length=20, verbose_name='reason')),
                ('attempts', models.PositiveIntegerField(default=1, verbose_name='attempts')),
                ('failed_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='failed')),
                ('retry_at', models.DateTimeField(null=True, verbose_name='tried again at')),
                ('graph', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='graphs.graph', verbose_name='graph')),
            ],
            options={
                'verbose_name': 'failed embedding',
                'verbose_name_plural': 'failed embeddings',
                'ordering': ('-failed_at', '-id'),
                'indexes': [models.Index(fields=['model', 'retry_at'], name='failures_to_retry')],
                'constraints': [models.UniqueConstraint(fields=('target_type', 'target_id', 'part', 'model'), name='one_failure_per_part')],
            },
        ),
        migrations.RunSQL(FORGET, REMEMBER),
        migrations.RunSQL("ALTER TABLE rag_embedding ALTER vector SET STORAGE MAIN", migrations.RunSQL.noop),
    ]
