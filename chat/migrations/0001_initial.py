"""The tables of conversations: sessions, runs, the event log, proposals, budgets."""

import uuid
from decimal import Decimal

import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('graphs', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Process',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('label', models.CharField(max_length=100, verbose_name='label')),
                ('started_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='started')),
                ('seen_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='last seen')),
            ],
            options={
                'verbose_name': 'process',
                'verbose_name_plural': 'processes',
            },
        ),
        migrations.CreateModel(
            name='Allowance',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tool', models.CharField(max_length=60, verbose_name='tool')),
                ('kind', models.CharField(max_length=30, verbose_name='kind')),
                ('field', models.CharField(blank=True, help_text='Empty: every field, and coming and going.', max_length=100, verbose_name='field')),
                ('object_key', models.CharField(blank=True, help_text='Empty: every object.', max_length=100, verbose_name='object')),
                ('item_key', models.CharField(blank=True, help_text='Empty: every item.', max_length=250, verbose_name='item')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='since')),
                ('given_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='given by')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='graphs.workspace', verbose_name='workspace')),
            ],
            options={
                'verbose_name': 'allowance',
                'verbose_name_plural': 'allowances',
                'ordering': ('workspace', 'tool', 'kind', 'field'),
            },
        ),
        migrations.CreateModel(
            name='Message',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('sequence', models.PositiveIntegerField(verbose_name='position')),
                ('role', models.CharField(choices=[('user', 'person'), ('assistant', 'model'), ('system', 'system')], max_length=10, verbose_name='role')),
                ('kind', models.CharField(default='text', max_length=30, verbose_name='kind')),
                ('status', models.CharField(choices=[('complete', 'complete'), ('queued', 'waiting for its turn'), ('streaming', 'being written'), ('stopped', 'stopped'), ('failed', 'failed')], default='complete', max_length=10, verbose_name='status')),
                ('content', models.TextField(blank=True, verbose_name='content')),
                ('reasoning', models.TextField(blank=True, verbose_name='reasoning')),
                ('rounds', models.JSONField(blank=True, default=list, verbose_name='rounds')),
                ('retrieved', models.TextField(blank=True, verbose_name='retrieved context')),
                ('records', models.TextField(blank=True, db_default='', default='', verbose_name='records always sent')),
                ('model', models.CharField(blank=True, max_length=100, verbose_name='model')),
                ('prompt_version', models.CharField(blank=True, max_length=40, verbose_name='prompt version')),
                ('changes', models.PositiveIntegerField(null=True, verbose_name='changes recorded')),
                ('in_prompt', models.CharField(choices=[('auto', 'until it is summarised'), ('pinned', 'always kept'), ('left_out', 'left out')], db_default='auto', default='auto', max_length=10, verbose_name='for the model')),
                ('exclude_from_prompt', models.BooleanField(default=False, verbose_name='not shown to the model')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                ('deepens', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='deeper', to='chat.message', verbose_name='goes deeper than')),
            ],
            options={
                'verbose_name': 'message',
                'verbose_name_plural': 'messages',
                'ordering': ('sequence',),
            },
        ),
        migrations.CreateModel(
            name='Run',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('trigger', models.JSONField()),
                ('status', models.CharField(choices=[('queued', 'queued'), ('running', 'running'), ('succeeded', 'succeeded'), ('failed', 'failed'), ('cancelled', 'cancelled')], default='queued', max_length=10, verbose_name='status')),
                ('process', models.UUIDField(blank=True, null=True)),
                ('epoch', models.BigIntegerField(default=0)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('first_sequence', models.BigIntegerField(blank=True, null=True)),
                ('last_sequence', models.BigIntegerField(blank=True, null=True)),
                ('folded_to', models.BigIntegerField(db_default=0, default=0, editable=False)),
                ('stop_requested_at', models.DateTimeField(blank=True, null=True)),
                ('asked_model', models.CharField(blank=True, db_default='', default='', max_length=100, verbose_name='model for this answer only')),
                ('gave_up', models.BooleanField(db_default=False, default=False, verbose_name='the model came to a limit')),
                ('provider', models.CharField(blank=True, max_length=40, verbose_name='provider')),
                ('model', models.CharField(blank=True, max_length=100, verbose_name='model')),
                ('outcome', models.CharField(blank=True, max_length=20, verbose_name='outcome')),
                ('error', models.JSONField(blank=True, null=True, verbose_name='error')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                ('started_at', models.DateTimeField(blank=True, null=True, verbose_name='started')),
                ('ended_at', models.DateTimeField(blank=True, null=True, verbose_name='ended')),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='author')),
                ('message', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='run', to='chat.message')),
            ],
            options={
                'verbose_name': 'run',
                'verbose_name_plural': 'runs',
                'ordering': ('created_at', 'id'),
            },
        ),
        migrations.CreateModel(
            name='SentRequest',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('number', models.PositiveSmallIntegerField(verbose_name='call')),
                ('round', models.PositiveSmallIntegerField(verbose_name='round')),
                ('provider', models.CharField(max_length=40, verbose_name='provider')),
                ('model', models.CharField(max_length=100, verbose_name='model')),
                ('parameters', models.JSONField(verbose_name='parameters')),
                ('head', models.BinaryField(max_length=16, null=True)),
                ('tools', models.BinaryField(max_length=16, null=True)),
                ('entries', models.PositiveIntegerField(verbose_name='entries')),
                ('marks', models.JSONField(default=list)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='created')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sent_requests', to='chat.run', verbose_name='run')),
            ],
            options={
                'verbose_name': 'sent request',
                'verbose_name_plural': 'sent requests',
                'ordering': ('run', 'number'),
            },
        ),
        migrations.CreateModel(
            name='Session',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('type', models.CharField(choices=[('CHAT', 'chat'), ('SEED', 'template of an automation'), ('AUTOMATION', 'automation')], default='CHAT', max_length=10, verbose_name='type')),
                ('title', models.CharField(blank=True, max_length=200, verbose_name='title')),
                ('context_type', models.CharField(blank=True, max_length=30, verbose_name='kind of object')),
                ('context_id', models.CharField(blank=True, max_length=100, verbose_name='object')),
                ('model', models.CharField(blank=True, max_length=100, verbose_name='model')),
                ('language', models.CharField(default='en', max_length=10, verbose_name='language')),
                ('on_disconnect', models.CharField(choices=[('continue', 'let the answer finish'), ('cancel', 'stop the answer')], default='cancel', max_length=10, verbose_name='when everybody left')),
                ('require_validation', models.BooleanField(default=False, verbose_name='ask before every change')),
                ('phase', models.CharField(default='IDLE', max_length=40, verbose_name='phase')),
                ('state', models.JSONField(default=dict)),
                ('end_reason', models.CharField(blank=True, max_length=20, verbose_name='end reason')),
                ('usage', models.JSONField(default=dict, verbose_name='usage')),
                ('hidden_at', models.DateTimeField(blank=True, null=True, verbose_name='deleted by its owner')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                ('updated_at', models.DateTimeField(auto_now=True, verbose_name='last activity')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='chat_sessions', to=settings.AUTH_USER_MODEL, verbose_name='owner')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sessions', to='graphs.workspace', verbose_name='workspace')),
            ],
            options={
                'verbose_name': 'session',
                'verbose_name_plural': 'sessions',
                'ordering': ('-updated_at', '-id'),
            },
        ),
        migrations.AddField(
            model_name='run',
            name='session',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='runs', to='chat.session', verbose_name='session'),
        ),
        migrations.CreateModel(
            name='Reservation',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('epoch', models.BigIntegerField(default=0)),
                ('object', models.CharField(blank=True, max_length=140)),
                ('purpose', models.CharField(choices=[('chat', 'answer'), ('summary', 'summary'), ('embedding', 'embedding'), ('question', 'embedding of a question')], max_length=12)),
                ('provider', models.CharField(max_length=40)),
                ('model', models.CharField(max_length=120)),
                ('prompt_tokens', models.PositiveIntegerField()),
                ('tokens', models.BigIntegerField()),
                ('cost', models.DecimalField(decimal_places=8, max_digits=22, null=True)),
                ('input_price', models.FloatField(null=True)),
                ('output_price', models.FloatField(null=True)),
                ('uses', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='graphs.workspace')),
                ('run', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='reservations', to='chat.run')),
                ('session', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='chat.session')),
            ],
        ),
        migrations.CreateModel(
            name='RequestEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.BinaryField(max_length=16)),
                ('parent', models.BinaryField(max_length=16, null=True)),
                ('position', models.PositiveIntegerField()),
                ('content', models.TextField()),
                ('session', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='request_entries', to='chat.session')),
            ],
            options={
                'verbose_name': 'entry of requests',
                'verbose_name_plural': 'entries of requests',
            },
        ),
        migrations.CreateModel(
            name='Proposal',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('tool_call_id', models.CharField(max_length=200)),
                ('tool', models.CharField(max_length=60, verbose_name='tool')),
                ('object_type', models.CharField(max_length=30, verbose_name='kind of object')),
                ('object_key', models.CharField(max_length=100, verbose_name='object')),
                ('arguments', models.JSONField(verbose_name='arguments')),
                ('decided_arguments', models.JSONField(null=True, verbose_name='arguments as edited')),
                ('reason', models.TextField(blank=True, verbose_name='reason')),
                ('operations', models.JSONField()),
                ('targets', models.JSONField()),
                ('diff', models.JSONField()),
                ('digest', models.CharField(max_length=64, verbose_name='digest')),
                ('asked_by', models.JSONField(default=list, verbose_name='asked by')),
                ('status', models.CharField(choices=[('pending', 'pending'), ('applied', 'applied'), ('rejected', 'rejected'), ('stale', 'stale'), ('expired', 'expired'), ('cancelled', 'cancelled'), ('failed', 'failed')], default='pending', max_length=10, verbose_name='status')),
                ('feedback', models.TextField(blank=True, verbose_name='feedback')),
                ('decided_at', models.DateTimeField(null=True, verbose_name='decided')),
                ('change_set', models.UUIDField(null=True, verbose_name='change set')),
                ('problem', models.TextField(blank=True, verbose_name='problem')),
                ('conflicts', models.JSONField(default=list, verbose_name='conflicts')),
                ('brief', models.JSONField(default=dict)),
                ('asked_again', models.JSONField(null=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='created')),
                ('expires_at', models.DateTimeField(verbose_name='expires')),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='decided by')),
                ('message', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='proposals', to='chat.message', verbose_name='message')),
                ('object', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='graphs.object')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='graphs.workspace', verbose_name='workspace')),
                ('session', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='proposals', to='chat.session', verbose_name='session')),
            ],
            options={
                'verbose_name': 'proposal',
                'verbose_name_plural': 'proposals',
                'ordering': ('created_at', 'id'),
            },
        ),
        migrations.CreateModel(
            name='ModelCall',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('attempt', models.UUIDField(editable=False, null=True, unique=True)),
                ('object', models.CharField(blank=True, max_length=140, verbose_name='object')),
                ('purpose', models.CharField(choices=[('chat', 'answer'), ('summary', 'summary'), ('embedding', 'embedding'), ('question', 'embedding of a question')], default='chat', max_length=12, verbose_name='purpose')),
                ('provider', models.CharField(max_length=40, verbose_name='provider')),
                ('model', models.CharField(max_length=120, verbose_name='model')),
                ('prompt_tokens', models.PositiveIntegerField(default=0, verbose_name='prompt tokens')),
                ('completion_tokens', models.PositiveIntegerField(default=0, verbose_name='completion tokens')),
                ('cached_tokens', models.PositiveIntegerField(default=0, verbose_name='cached tokens')),
                ('cache_write_tokens', models.PositiveIntegerField(default=0, verbose_name='tokens kept in the cache')),
                ('reasoning_tokens', models.PositiveIntegerField(default=0, verbose_name='reasoning tokens')),
                ('estimated', models.BooleanField(default=False, verbose_name='estimated')),
                ('cost', models.DecimalField(decimal_places=8, max_digits=14, null=True, verbose_name='cost')),
                ('latency_ms', models.PositiveIntegerField(default=0, verbose_name='duration')),
                ('first_token_ms', models.PositiveIntegerField(null=True, verbose_name='time to first token')),
                ('retries', models.PositiveSmallIntegerField(default=0, verbose_name='retries')),
                ('outcome', models.CharField(max_length=20, verbose_name='outcome')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='person')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='model_calls', to='graphs.workspace', verbose_name='workspace')),
                ('run', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='model_calls', to='chat.run', verbose_name='run')),
                ('request', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='model_calls', to='chat.sentrequest')),
                ('session', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='model_calls', to='chat.session', verbose_name='session')),
            ],
            options={
                'verbose_name': 'model call',
                'verbose_name_plural': 'model calls',
                'ordering': ('id',),
            },
        ),
        migrations.AddField(
            model_name='message',
            name='session',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='messages', to='chat.session', verbose_name='session'),
        ),
        migrations.CreateModel(
            name='Budget',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scope', models.CharField(choices=[('workspace', 'the whole workspace'), ('user', 'a person'), ('session', 'a conversation'), ('automation', 'an automation')], default='workspace', max_length=10, verbose_name='scope')),
                ('unit', models.CharField(choices=[('tokens', 'tokens'), ('usd', 'US dollars')], default='usd', max_length=6, verbose_name='unit')),
                ('period', models.CharField(choices=[('call', 'each call'), ('day', 'each day'), ('month', 'each month'), ('total', 'in total')], default='month', max_length=5, verbose_name='period')),
                ('limit', models.DecimalField(decimal_places=6, max_digits=18, validators=[django.core.validators.MinValueValidator(Decimal('0'))], verbose_name='limit')),
                ('active', models.BooleanField(default=True, verbose_name='active')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='person')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='budgets', to='graphs.workspace', verbose_name='workspace')),
                ('session', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='budgets', to='chat.session', verbose_name='conversation')),
            ],
            options={
                'verbose_name': 'budget',
                'verbose_name_plural': 'budgets',
                'ordering': ('workspace', 'scope', 'id'),
            },
        ),
        migrations.CreateModel(
            name='Stream',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=80, unique=True, verbose_name='name')),
                ('last_sequence', models.BigIntegerField(default=0, verbose_name='last sequence')),
                ('epoch', models.BigIntegerField(default=0)),
                ('writer', models.UUIDField(null=True)),
                ('batch', models.BigIntegerField(default=0)),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='graphs.workspace')),
            ],
            options={
                'verbose_name': 'stream',
                'verbose_name_plural': 'streams',
            },
        ),
        migrations.AddField(
            model_name='session',
            name='stream',
            field=models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='session', to='chat.stream'),
        ),
        migrations.CreateModel(
            name='Presence',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('process', models.UUIDField(null=True)),
                ('seen_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('stream', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='readers', to='chat.stream')),
            ],
        ),
        migrations.CreateModel(
            name='StreamEvent',
            fields=[
                ('pk', models.CompositePrimaryKey('stream_id', 'sequence', blank=True, editable=False, primary_key=True, serialize=False)),
                ('sequence', models.BigIntegerField()),
                ('version', models.SmallIntegerField(db_default=1, default=1)),
                ('type', models.CharField(max_length=30)),
                ('data', models.JSONField()),
                ('message_id', models.UUIDField(null=True)),
                ('run_id', models.UUIDField(null=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('stream', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='events', to='chat.stream')),
            ],
            options={
                'verbose_name': 'event',
                'verbose_name_plural': 'events',
            },
        ),
        migrations.CreateModel(
            name='Summary',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sequence', models.PositiveIntegerField(verbose_name='position')),
                ('rounds', models.PositiveSmallIntegerField(default=0, verbose_name='rounds')),
                ('kept', models.JSONField(default=list)),
                ('content', models.TextField(verbose_name='content')),
                ('model', models.CharField(blank=True, max_length=100, verbose_name='model')),
                ('tokens_before', models.PositiveIntegerField(verbose_name='tokens before')),
                ('tokens_after', models.PositiveIntegerField(verbose_name='tokens after')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='created')),
                ('session', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='summaries', to='chat.session', verbose_name='session')),
            ],
            options={
                'verbose_name': 'summary',
                'verbose_name_plural': 'summaries',
                'ordering': ('session', 'sequence', 'rounds'),
            },
        ),
        migrations.CreateModel(
            name='ValidationRule',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tool', models.CharField(blank=True, help_text='Empty: for all tools.', max_length=60, verbose_name='tool')),
                ('workspace', models.ForeignKey(blank=True, help_text='Empty: in all workspaces.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='graphs.workspace', verbose_name='workspace')),
            ],
            options={
                'verbose_name': 'validation rule',
                'verbose_name_plural': 'validation rules',
            },
        ),
        migrations.CreateModel(
            name='AlwaysSend',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('object_type', models.CharField(default='graph', max_length=30, verbose_name='kind of object')),
                ('object_key', models.CharField(max_length=100, verbose_name='object')),
                ('part_type', models.CharField(blank=True, max_length=30, verbose_name='kind of part')),
                ('part_key', models.CharField(blank=True, max_length=250, verbose_name='part')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='since')),
                ('added_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='added by')),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='graphs.workspace', verbose_name='workspace')),
            ],
            options={
                'verbose_name': 'record that is always sent',
                'verbose_name_plural': 'records that are always sent',
                'ordering': ('workspace', 'id'),
                'constraints': [models.UniqueConstraint(fields=('workspace', 'object_type', 'object_key', 'part_type', 'part_key'), name='always_sent_once')],
            },
        ),
        migrations.CreateModel(
            name='BudgetUse',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('subject', models.CharField(blank=True, max_length=40)),
                ('starts_on', models.DateField(verbose_name='from')),
                ('used', models.DecimalField(decimal_places=8, default=0, max_digits=22, verbose_name='spent')),
                ('reserved', models.DecimalField(decimal_places=8, default=0, max_digits=22, verbose_name='reserved')),
                ('budget', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='uses', to='chat.budget', verbose_name='budget')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('budget', 'subject', 'starts_on'), name='one_use_per_period')],
            },
        ),
        migrations.CreateModel(
            name='IdempotencyKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=200)),
                ('body_digest', models.CharField(max_length=64)),
                ('answer', models.JSONField(null=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['created_at'], name='idempotency_age')],
                'constraints': [models.UniqueConstraint(fields=('user', 'key'), name='one_answer_per_key')],
            },
        ),
        migrations.AddIndex(
            model_name='sentrequest',
            index=models.Index(fields=['created_at'], name='requests_by_age'),
        ),
        migrations.AddConstraint(
            model_name='sentrequest',
            constraint=models.UniqueConstraint(fields=('run', 'number'), name='one_request_per_call'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('status__in', ['queued', 'running'])), fields=['created_at'], name='live_runs'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('last_sequence__gt', models.F('folded_to'))), fields=['ended_at'], name='runs_to_fold'),
        ),
        migrations.AddConstraint(
            model_name='run',
            constraint=models.UniqueConstraint(condition=models.Q(('status', 'running')), fields=('session',), name='one_running_run_per_session'),
        ),
        migrations.AddIndex(
            model_name='reservation',
            index=models.Index(fields=['created_at'], name='calls_under_way'),
        ),
        migrations.AddConstraint(
            model_name='requestentry',
            constraint=models.UniqueConstraint(fields=('session', 'digest'), name='one_entry_per_digest'),
        ),
        migrations.AddIndex(
            model_name='proposal',
            index=models.Index(condition=models.Q(('status', 'pending')), fields=['workspace', 'created_at', 'id'], name='pending_proposals'),
        ),
        migrations.AddIndex(
            model_name='proposal',
            index=models.Index(fields=['session', 'created_at'], name='proposals_of_session'),
        ),
        migrations.AddIndex(
            model_name='proposal',
            index=models.Index(fields=['workspace', 'created_at', 'id'], name='proposals_by_age'),
        ),
        migrations.AddConstraint(
            model_name='proposal',
            constraint=models.UniqueConstraint(fields=('message', 'tool_call_id'), name='one_proposal_per_call'),
        ),
        migrations.AddIndex(
            model_name='modelcall',
            index=models.Index(fields=['workspace', 'created_at'], name='spend_of_workspace'),
        ),
        migrations.AddConstraint(
            model_name='message',
            constraint=models.UniqueConstraint(fields=('session', 'sequence'), name='message_sequence'),
        ),
        migrations.AddIndex(
            model_name='budget',
            index=models.Index(condition=models.Q(('active', True)), fields=['workspace'], name='active_budgets'),
        ),
        migrations.AddIndex(
            model_name='session',
            index=models.Index(fields=['-updated_at', '-id'], name='session_latest'),
        ),
        migrations.AddIndex(
            model_name='session',
            index=models.Index(condition=models.Q(('hidden_at', None)), fields=['owner', 'workspace', 'context_type', 'context_id', '-updated_at'], name='session_of_object'),
        ),
        migrations.AddConstraint(
            model_name='presence',
            constraint=models.UniqueConstraint(fields=('stream', 'process'), name='one_presence_per_process', nulls_distinct=False),
        ),
        migrations.AddIndex(
            model_name='streamevent',
            index=models.Index(fields=['message_id'], name='event_message'),
        ),
        migrations.AddConstraint(
            model_name='summary',
            constraint=models.UniqueConstraint(fields=('session', 'sequence', 'rounds'), name='one_summary_per_place'),
        ),
        migrations.AddConstraint(
            model_name='validationrule',
            constraint=models.UniqueConstraint(fields=('workspace', 'tool'), name='one_rule_per_level', nulls_distinct=False),
        ),
        migrations.RunSQL(
            "ALTER TABLE chat_stream SET (fillfactor = 50)", "ALTER TABLE chat_stream RESET (fillfactor)"
        ),
    ]
