"""The tables of objects, workflow graphs and their history. PostgreSQL itself refuses to change the history."""

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.core.serializers.json
import django.db.models.deletion
import django.db.models.functions.comparison
import django.db.models.functions.datetime
import django.db.models.functions.text
import uuid
from django.conf import settings
from django.db import migrations, models


TABLES = ("graphs_changeset", "graphs_revision", "graphs_modification")

FUNCTION = """
CREATE FUNCTION graphs_refuse_to_rewrite_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'history is append-only: % on % refused', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$
"""


def _triggers(table: str) -> str:
    return f"""
    CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table}
        FOR EACH ROW EXECUTE FUNCTION graphs_refuse_to_rewrite_history();
    CREATE TRIGGER {table}_not_emptied BEFORE TRUNCATE ON {table}
        FOR EACH STATEMENT EXECUTE FUNCTION graphs_refuse_to_rewrite_history()
    """


def _without_triggers(table: str) -> str:
    return f"DROP TRIGGER {table}_append_only ON {table}; DROP TRIGGER {table}_not_emptied ON {table}"


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Object',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('type', models.CharField(editable=False, max_length=30, verbose_name='kind')),
                ('key', models.CharField(max_length=100, verbose_name='key')),
                ('version', models.PositiveIntegerField(default=1, editable=False, verbose_name='version')),
                ('as_recorded', models.JSONField(editable=False, null=True)),
                ('unsaved_since', models.DateTimeField(editable=False, null=True, verbose_name='unsaved since')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                ('updated_at', models.DateTimeField(auto_now=True, verbose_name='changed')),
            ],
            options={
                'verbose_name': 'object',
                'verbose_name_plural': 'objects',
            },
        ),
        migrations.CreateModel(
            name='Sheet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=100, verbose_name='key')),
                ('name', models.CharField(max_length=200, verbose_name='name')),
                ('position', models.PositiveIntegerField(default=0, verbose_name='position')),
            ],
            options={
                'verbose_name': 'sheet',
                'verbose_name_plural': 'sheets',
                'ordering': ('position', 'id'),
            },
        ),
        migrations.CreateModel(
            name='Workspace',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(unique=True, verbose_name='slug')),
                ('name', models.CharField(max_length=200, verbose_name='name')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created')),
            ],
            options={
                'verbose_name': 'workspace',
                'verbose_name_plural': 'workspaces',
                'ordering': ('slug',),
            },
        ),
        migrations.CreateModel(
            name='ChangeSet',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('workspace', models.BigIntegerField(verbose_name='workspace')),
                ('actor', models.BigIntegerField(null=True, verbose_name='person')),
                ('actor_label', models.CharField(blank=True, max_length=150, verbose_name='person')),
                ('origin', models.CharField(choices=[('chat', 'conversation'), ('generation', 'structured generation'), ('automation', 'automation'), ('manual', 'by hand'), ('import', 'import'), ('rollback', 'rollback'), ('outside', 'changed outside')], max_length=20, verbose_name='origin')),
                ('cause', models.CharField(blank=True, max_length=200, verbose_name='cause')),
                ('causes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=200), default=list, size=None)),
                ('reason', models.TextField(blank=True, verbose_name='reason')),
                ('prompt_version', models.CharField(blank=True, max_length=40, verbose_name='prompt version')),
                ('model', models.CharField(blank=True, max_length=100, verbose_name='model')),
                ('undoes', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None, verbose_name='undoes')),
                ('size', models.PositiveIntegerField(default=0, verbose_name='modifications')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='when')),
            ],
            options={
                'verbose_name': 'change set',
                'verbose_name_plural': 'change sets',
                'ordering': ('-created_at', '-id'),
                'indexes': [models.Index(fields=['workspace', '-created_at', '-id'], name='change_set_latest'), models.Index(fields=['-created_at', '-id'], name='change_set_newest'), django.contrib.postgres.indexes.GinIndex(fields=['causes'], name='change_set_causes'), django.contrib.postgres.indexes.GinIndex(condition=models.Q(('undoes', []), _negated=True), fields=['undoes'], name='change_set_undone')],
            },
        ),
        migrations.CreateModel(
            name='Graph',
            fields=[
                ('object', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, parent_link=True, primary_key=True, serialize=False, to='graphs.object')),
                ('name', models.CharField(max_length=200, verbose_name='name')),
                ('description', models.TextField(blank=True, verbose_name='description')),
                ('metadata', models.JSONField(blank=True, default=dict, verbose_name='metadata')),
            ],
            options={
                'verbose_name': 'graph',
                'verbose_name_plural': 'graphs',
                'ordering': ('name', 'pk'),
            },
            bases=('graphs.object',),
        ),
        migrations.CreateModel(
            name='NodeType',
            fields=[
                ('object', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, parent_link=True, primary_key=True, serialize=False, to='graphs.object')),
                ('display_name', models.CharField(max_length=200, verbose_name='display name')),
                ('description', models.TextField(blank=True, verbose_name='description')),
                ('category', models.CharField(blank=True, max_length=100, verbose_name='category')),
                ('icon', models.CharField(blank=True, max_length=100, verbose_name='icon')),
                ('handles', models.JSONField(blank=True, default=dict, verbose_name='handles')),
                ('process', models.TextField(blank=True, verbose_name='process')),
            ],
            options={
                'verbose_name': 'node type',
                'verbose_name_plural': 'node types',
                'ordering': ('display_name', 'pk'),
            },
            bases=('graphs.object',),
        ),
        migrations.CreateModel(
            name='Node',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=100, verbose_name='key')),
                ('name', models.CharField(blank=True, max_length=200, verbose_name='name')),
                ('type', models.CharField(max_length=200, verbose_name='type')),
                ('process', models.TextField(blank=True, verbose_name='process')),
                ('data', models.JSONField(blank=True, default=dict, verbose_name='data')),
                ('handles', models.JSONField(blank=True, default=dict, verbose_name='handles')),
                ('pos_x', models.FloatField(default=0, verbose_name='x')),
                ('pos_y', models.FloatField(default=0, verbose_name='y')),
                ('width', models.FloatField(blank=True, null=True, verbose_name='width')),
                ('height', models.FloatField(blank=True, null=True, verbose_name='height')),
                ('version', models.PositiveIntegerField(default=1, verbose_name='version')),
                ('search', models.GeneratedField(db_persist=True, expression=django.contrib.postgres.search.CombinedSearchVector(django.contrib.postgres.search.CombinedSearchVector(django.contrib.postgres.search.CombinedSearchVector(django.contrib.postgres.search.CombinedSearchVector(django.contrib.postgres.search.SearchVector(models.Func(models.Func(django.db.models.functions.text.Left(models.F('key'), 100000), models.Value('([a-z0-9])([A-Z])'), models.Value('\\1 \\2'), models.Value('g'), function='regexp_replace', output_field=models.TextField()), models.Value('[^[:alnum:]]+'), models.Value(' '), models.Value('g'), function='regexp_replace', output_field=models.TextField()), config='simple', weight='A'), '||', django.contrib.postgres.search.SearchVector(models.Func(models.Func(django.db.models.functions.text.Left(models.F('name'), 100000), models.Value('([a-z0-9])([A-Z])'), models.Value('\\1 \\2'), models.Value('g'), function='regexp_replace', output_field=models.TextField()), models.Value('[^[:alnum:]]+'), models.Value(' '), models.Value('g'), function='regexp_replace', output_field=models.TextField()), config='simple', weight='A'), django.contrib.postgres.search.SearchConfig('simple')), '||', django.contrib.postgres.search.SearchVector(models.Func(models.Func(django.db.models.functions.text.Left(models.F('type'), 100000), models.Value('([a-z0-9])([A-Z])'), models.Value('\\1 \\2'), models.Value('g'), function='regexp_replace', output_field=models.TextField()), models.Value('[^[:alnum:]]+'), models.Value(' '), models.Value('g'), function='regexp_replace', output_field=models.TextField()), config='simple', weight='B'), django.contrib.postgres.search.SearchConfig('simple')), '||', django.contrib.postgres.search.SearchVector(models.Func(models.Func(django.db.models.functions.text.Left(models.F('process'), 100000), models.Value('([a-z0-9])([A-Z])'), models.Value('\\1 \\2'), models.Value('g'), function='regexp_replace', output_field=models.TextField()), models.Value('[^[:alnum:]]+'), models.Value(' '), models.Value('g'), function='regexp_replace', output_field=models.TextField()), config='simple', weight='C'), django.contrib.postgres.search.SearchConfig('simple')), '||', django.contrib.postgres.search.SearchVector(models.Func(models.Func(django.db.models.functions.text.Left(django.db.models.functions.comparison.Cast('data', models.TextField()), 100000), models.Value('([a-z0-9])([A-Z])'), models.Value('\\1 \\2'), models.Value('g'), function='regexp_replace', output_field=models.TextField()), models.Value('[^[:alnum:]]+'), models.Value(' '), models.Value('g'), function='regexp_replace', output_field=models.TextField()), config='simple', weight='D'), django.contrib.postgres.search.SearchConfig('simple')), output_field=django.contrib.postgres.search.SearchVectorField())),
                ('sheet', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='nodes', to='graphs.sheet', verbose_name='sheet')),
                ('graph', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='nodes', to='graphs.graph', verbose_name='graph')),
            ],
            options={
                'verbose_name': 'node',
                'verbose_name_plural': 'nodes',
                'ordering': ('id',),
            },
        ),
        migrations.AddField(
            model_name='object',
            name='workspace',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='graphs.workspace', verbose_name='workspace'),
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('viewer', 'viewer'), ('editor', 'editor'), ('admin', 'admin')], default='viewer', max_length=10, verbose_name='role')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='since')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL, verbose_name='person')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='graphs.workspace', verbose_name='workspace')),
            ],
            options={
                'verbose_name': 'membership',
                'verbose_name_plural': 'memberships',
                'ordering': ('created_at', 'id'),
            },
        ),
        migrations.AddField(
            model_name='sheet',
            name='graph',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sheets', to='graphs.graph', verbose_name='graph'),
        ),
        migrations.CreateModel(
            name='Edge',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=250, verbose_name='key')),
                ('source_handle', models.CharField(blank=True, max_length=100, verbose_name='source handle')),
                ('target_handle', models.CharField(blank=True, max_length=100, verbose_name='target handle')),
                ('label', models.CharField(blank=True, max_length=200, verbose_name='label')),
                ('version', models.PositiveIntegerField(default=1, verbose_name='version')),
                ('source', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='edges_out', to='graphs.node', verbose_name='source')),
                ('target', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='edges_in', to='graphs.node', verbose_name='target')),
                ('sheet', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='edges', to='graphs.sheet', verbose_name='sheet')),
                ('graph', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='edges', to='graphs.graph', verbose_name='graph')),
            ],
            options={
                'verbose_name': 'edge',
                'verbose_name_plural': 'edges',
                'ordering': ('id',),
            },
        ),
        migrations.CreateModel(
            name='LiveEdit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField(verbose_name='version')),
                ('person', models.BigIntegerField(verbose_name='person')),
                ('person_label', models.CharField(max_length=150, verbose_name='person')),
                ('key', models.CharField(max_length=100, verbose_name='key')),
                ('digest', models.CharField(max_length=40)),
                ('operations', models.JSONField(encoder=django.core.serializers.json.DjangoJSONEncoder, verbose_name='operations')),
                ('items', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=300), size=None)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='when')),
                ('saved_at', models.DateTimeField(null=True, verbose_name='saved')),
                ('change_set', models.UUIDField(null=True, verbose_name='change set')),
                ('object', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='live_edits', to='graphs.object')),
            ],
            options={
                'verbose_name': 'live edit',
                'verbose_name_plural': 'live edits',
                'ordering': ('object', 'version'),
                'indexes': [models.Index(condition=models.Q(('saved_at', None)), fields=['object', 'version'], name='live_edit_unsaved'), models.Index(fields=['saved_at'], name='live_edit_saved'), django.contrib.postgres.indexes.GinIndex(fields=['items'], name='live_edit_items')],
                'constraints': [models.UniqueConstraint(fields=('object', 'version'), name='one_live_edit_per_version'), models.UniqueConstraint(fields=('object', 'person', 'key'), name='live_edit_once')],
            },
        ),
        migrations.CreateModel(
            name='Modification',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sequence', models.PositiveIntegerField(verbose_name='position')),
                ('type', models.CharField(max_length=30, verbose_name='kind of object')),
                ('object', models.BigIntegerField(verbose_name='object')),
                ('version', models.PositiveIntegerField(verbose_name='version')),
                ('kind', models.CharField(max_length=30, verbose_name='kind')),
                ('key', models.CharField(max_length=250, verbose_name='key')),
                ('action', models.CharField(choices=[('create', 'created'), ('update', 'changed'), ('delete', 'deleted')], max_length=10, verbose_name='action')),
                ('field', models.CharField(blank=True, max_length=100, verbose_name='field')),
                ('old', models.JSONField(encoder=django.core.serializers.json.DjangoJSONEncoder, null=True, verbose_name='before')),
                ('new', models.JSONField(encoder=django.core.serializers.json.DjangoJSONEncoder, null=True, verbose_name='after')),
                ('change_set', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='modifications', to='graphs.changeset')),
            ],
            options={
                'verbose_name': 'modification',
                'verbose_name_plural': 'modifications',
                'ordering': ('change_set', 'sequence'),
                'indexes': [models.Index(fields=['type', 'object', 'kind', 'key', 'field', '-version'], name='modification_of_item')],
                'constraints': [models.UniqueConstraint(fields=('change_set', 'sequence'), name='modification_sequence')],
            },
        ),
        migrations.CreateModel(
            name='Revision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('type', models.CharField(max_length=30, verbose_name='kind of object')),
                ('object', models.BigIntegerField(verbose_name='object')),
                ('key', models.CharField(max_length=250, verbose_name='key')),
                ('label', models.CharField(blank=True, max_length=200, verbose_name='label')),
                ('version', models.PositiveIntegerField(verbose_name='version')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='when')),
                ('change_set', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='revisions', to='graphs.changeset')),
            ],
            options={
                'verbose_name': 'revision',
                'verbose_name_plural': 'revisions',
                'ordering': ('-version',),
                'indexes': [models.Index(fields=['type', 'object', 'created_at'], name='revision_at_a_moment')],
                'constraints': [models.UniqueConstraint(fields=('type', 'object', 'version'), name='one_revision_per_version')],
            },
        ),
        migrations.AddIndex(
            model_name='object',
            index=models.Index(condition=models.Q(('unsaved_since', None), _negated=True), fields=['unsaved_since'], name='object_unsaved'),
        ),
        migrations.AddConstraint(
            model_name='object',
            constraint=models.UniqueConstraint(fields=('workspace', 'type', 'key'), name='object_key_in_workspace'),
        ),
        migrations.AddConstraint(
            model_name='membership',
            constraint=models.UniqueConstraint(fields=('user', 'workspace'), name='one_role_per_workspace'),
        ),
        migrations.AddConstraint(
            model_name='sheet',
            constraint=models.UniqueConstraint(fields=('graph', 'key'), name='sheet_key_in_graph'),
        ),
        migrations.AddIndex(
            model_name='node',
            index=django.contrib.postgres.indexes.GinIndex(fields=['search'], name='node_search'),
        ),
        migrations.AddConstraint(
            model_name='node',
            constraint=models.UniqueConstraint(fields=('graph', 'key'), name='node_key_in_graph'),
        ),
        migrations.AddIndex(
            model_name='edge',
            index=models.Index(fields=['source', 'target'], name='edge_source_target'),
        ),
        migrations.AddConstraint(
            model_name='edge',
            constraint=models.UniqueConstraint(fields=('graph', 'key'), name='edge_key_in_graph'),
        ),
        migrations.RunSQL(FUNCTION, "DROP FUNCTION graphs_refuse_to_rewrite_history"),
        *(migrations.RunSQL(_triggers(table), _without_triggers(table)) for table in TABLES),
    ]
