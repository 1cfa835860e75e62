import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
import uuid
from decimal import Decimal
from django.conf import settings
from django.db import migrations, models

#: Of calls before there were accounts. A table cannot be altered while constraints of its new rows wait for the commit.
_WHOSE = """
SET CONSTRAINTS ALL IMMEDIATE;
UPDATE chat_modelcall AS call SET workspace_id = s.workspace_id, user_id = r.author_id, session_id = s.id,
    object = CASE s.context_type WHEN '' THEN '' ELSE s.context_type || ':' || s.context_id END
FROM chat_run AS r JOIN chat_session AS s ON s.id = r.session_id WHERE r.id = call.run_id;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('chat', '0008_sent_requests'),
        ('graphs', '0006_fewer_indexes_of_modifications'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
            ],
            options={
                'verbose_name': 'budget',
                'verbose_name_plural': 'budgets',
                'ordering': ('workspace', 'scope', 'id'),
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
            ],
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
            ],
        ),
        migrations.AddField(
            model_name='modelcall',
            name='cache_write_tokens',
            field=models.PositiveIntegerField(default=0, verbose_name='tokens kept in the cache'),
        ),
        migrations.AddField(
            model_name='modelcall',
            name='first_token_ms',
            field=models.PositiveIntegerField(null=True, verbose_name='time to first token'),
        ),
        migrations.AddField(
            model_name='modelcall',
            name='object',
            field=models.CharField(blank=True, max_length=140, verbose_name='object'),
        ),
        migrations.AddField(
            model_name='modelcall',
            name='purpose',
            field=models.CharField(choices=[('chat', 'answer'), ('summary', 'summary'), ('embedding', 'embedding'), ('question', 'embedding of a question')], default='chat', max_length=12, verbose_name='purpose'),
        ),
        migrations.AddField(
            model_name='modelcall',
            name='reasoning_tokens',
            field=models.PositiveIntegerField(default=0, verbose_name='reasoning tokens'),
        ),
        migrations.AddField(
            model_name='modelcall',
            name='retries',
            field=models.PositiveSmallIntegerField(default=0, verbose_name='retries'),
        ),
        migrations.AddField(
            model_name='modelcall',
            name='session',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='model_calls', to='chat.session', verbose_name='session'),
        ),
        migrations.AddField(
            model_name='modelcall',
            name='user',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='person'),
        ),
        migrations.AddField(
            model_name='modelcall',
            name='workspace',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='model_calls', to='graphs.workspace', verbose_name='workspace'),
        ),
        migrations.RunSQL(_WHOSE, migrations.RunSQL.noop),
        migrations.AlterField(
            model_name='modelcall',
            name='workspace',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='model_calls', to='graphs.workspace', verbose_name='workspace'),
        ),
        migrations.AlterField(
            model_name='modelcall',
            name='cost',
            field=models.DecimalField(decimal_places=8, max_digits=14, null=True, verbose_name='cost'),
        ),
        migrations.AlterField(
            model_name='modelcall',
            name='latency_ms',
            field=models.PositiveIntegerField(default=0, verbose_name='duration'),
        ),
        migrations.AlterField(
            model_name='modelcall',
            name='model',
            field=models.CharField(max_length=120, verbose_name='model'),
        ),
        migrations.AlterField(
            model_name='modelcall',
            name='run',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='model_calls', to='chat.run', verbose_name='run'),
        ),
        migrations.AddIndex(
            model_name='modelcall',
            index=models.Index(fields=['workspace', 'created_at'], name='spend_of_workspace'),
        ),
        migrations.AddField(
            model_name='budget',
            name='session',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='budgets', to='chat.session', verbose_name='conversation'),
        ),
        migrations.AddField(
            model_name='budget',
            name='user',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='person'),
        ),
        migrations.AddField(
            model_name='budget',
            name='workspace',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='budgets', to='graphs.workspace', verbose_name='workspace'),
        ),
        migrations.AddField(
            model_name='budgetuse',
            name='budget',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='uses', to='chat.budget', verbose_name='budget'),
        ),
        migrations.AddField(
            model_name='reservation',
            name='run',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='reservations', to='chat.run'),
        ),
        migrations.AddField(
            model_name='reservation',
            name='session',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='chat.session'),
        ),
        migrations.AddField(
            model_name='reservation',
            name='user',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='reservation',
            name='workspace',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='graphs.workspace'),
        ),
        migrations.AddIndex(
            model_name='budget',
            index=models.Index(condition=models.Q(('active', True)), fields=['workspace'], name='active_budgets'),
        ),
        migrations.AddConstraint(
            model_name='budgetuse',
            constraint=models.UniqueConstraint(fields=('budget', 'subject', 'starts_on'), name='one_use_per_period'),
        ),
        migrations.AddIndex(
            model_name='reservation',
            index=models.Index(fields=['created_at'], name='calls_under_way'),
        ),
    ]
