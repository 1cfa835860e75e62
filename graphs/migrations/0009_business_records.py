import django.db.models.deletion
import django.db.models.fields.json
import django.db.models.functions.comparison
import django.db.models.functions.text
import django.utils.timezone
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('graphs', '0008_nodes_of_a_type'),
    ]

    operations = [
        migrations.CreateModel(
            name='Company',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('status', models.CharField(choices=[('draft', 'draft'), ('generating', 'generating'), ('ready', 'ready'), ('archived', 'archived')], default='draft', max_length=20, verbose_name='status')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name='created')),
                ('updated_at', models.DateTimeField(auto_now=True, verbose_name='changed')),
                ('name', models.CharField(max_length=200, verbose_name='name')),
                ('industry', models.CharField(blank=True, max_length=200, verbose_name='industry')),
                ('size', models.CharField(blank=True, max_length=200, verbose_name='size')),
                ('products', models.TextField(blank=True, max_length=10000, verbose_name='products')),
                ('processes', models.TextField(blank=True, max_length=10000, verbose_name='processes')),
                ('challenges', models.TextField(blank=True, max_length=10000, verbose_name='challenges')),
                ('objectives', models.TextField(blank=True, max_length=10000, verbose_name='objectives')),
                ('technologies', models.TextField(blank=True, max_length=10000, verbose_name='technologies')),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='graphs.workspace', verbose_name='workspace')),
            ],
            options={
                'verbose_name': 'company',
                'verbose_name_plural': 'companies',
                'ordering': ('name', 'id'),
            },
        ),
        migrations.CreateModel(
            name='Folder',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('status', models.CharField(choices=[('draft', 'draft'), ('generating', 'generating'), ('ready', 'ready'), ('archived', 'archived')], default='draft', max_length=20, verbose_name='status')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name='created')),
                ('updated_at', models.DateTimeField(auto_now=True, verbose_name='changed')),
                ('name', models.CharField(max_length=200, verbose_name='name')),
                ('description', models.TextField(blank=True, max_length=10000, verbose_name='description')),
                ('matrix_config', models.JSONField(blank=True, default=dict, verbose_name='matrix')),
                ('executive_summary', models.JSONField(blank=True, default=dict, verbose_name='executive summary')),
                ('company', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='folders', to='graphs.company', verbose_name='company')),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='graphs.workspace', verbose_name='workspace')),
            ],
            options={
                'verbose_name': 'folder',
                'verbose_name_plural': 'folders',
                'ordering': ('name', 'id'),
            },
        ),
        migrations.CreateModel(
            name='UseCase',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('status', models.CharField(choices=[('draft', 'draft'), ('generating', 'generating'), ('ready', 'ready'), ('archived', 'archived')], default='draft', max_length=20, verbose_name='status')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name='created')),
                ('updated_at', models.DateTimeField(auto_now=True, verbose_name='changed')),
                ('model', models.CharField(blank=True, editable=False, max_length=100, verbose_name='model')),
                ('data', models.JSONField(default=dict, verbose_name='data')),
                ('name', models.GeneratedField(db_persist=True, expression=django.db.models.functions.text.Left(django.db.models.functions.comparison.Coalesce(django.db.models.fields.json.KeyTextTransform('name', 'data'), models.Value('')), 200), output_field=models.CharField(max_length=200, verbose_name='name'))),
                ('folder', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='use_cases', to='graphs.folder', verbose_name='folder')),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='graphs.workspace', verbose_name='workspace')),
            ],
            options={
                'verbose_name': 'use case',
                'verbose_name_plural': 'use cases',
                'ordering': ('name', 'id'),
            },
        ),
        migrations.AddIndex(
            model_name='company',
            index=models.Index(fields=['workspace', 'name', 'id'], name='company_by_name'),
        ),
        migrations.AddIndex(
            model_name='folder',
            index=models.Index(fields=['workspace', 'name', 'id'], name='folder_by_name'),
        ),
        migrations.AddIndex(
            model_name='usecase',
            index=models.Index(fields=['workspace', 'name', 'id'], name='usecase_by_name'),
        ),
    ]
