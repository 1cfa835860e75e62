"""With whom conversations are shared: tables, and a function, which is only planned where somebody else's is asked for."""

import django.db.models.deletion
import django.db.models.functions.datetime
import uuid
from django.conf import settings
from django.db import migrations, models

CREATE = """
CREATE FUNCTION chat_shared(conversation uuid, reader integer) RETURNS varchar
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (
        SELECT share.access FROM chat_share AS share JOIN chat_session AS session ON session.id = share.session_id
        JOIN auth_user AS owner ON owner.id = session.owner_id AND owner.is_active
        JOIN graphs_membership AS place ON place.workspace_id = session.workspace_id AND place.user_id = owner.id
        WHERE share.session_id = conversation AND share.user_id = reader
    );
END
$$
"""


class Migration(migrations.Migration):

    dependencies = [
        ('chat', '0015_archived_sessions'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='message',
            name='author',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='author'),
        ),
        migrations.CreateModel(
            name='Share',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('access', models.CharField(choices=[('read', 'read'), ('write', 'read and write along')], default='read', max_length=10, verbose_name='may')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='since')),
                ('session', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='shares', to='chat.session', verbose_name='session')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='person')),
            ],
            options={
                'verbose_name': 'share',
                'verbose_name_plural': 'shares',
                'ordering': ('created_at', 'id'),
                'constraints': [models.UniqueConstraint(fields=('session', 'user'), name='one_share_per_person')],
            },
        ),
        migrations.CreateModel(
            name='SharedLink',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('digest', models.CharField(editable=False, max_length=64)),
                ('reasoning', models.BooleanField(default=False, verbose_name='with reasoning')),
                ('tool_results', models.BooleanField(default=False, verbose_name='with what its tools gave')),
                ('expires_at', models.DateTimeField(verbose_name='until')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name='since')),
                ('session', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='links', to='chat.session', verbose_name='session')),
            ],
            options={
                'verbose_name': 'link to a conversation',
                'verbose_name_plural': 'links to conversations',
                'ordering': ('created_at', 'id'),
                'constraints': [models.UniqueConstraint(fields=('digest',), name='one_link_per_digest')],
            },
        ),
        migrations.RunSQL(CREATE, "DROP FUNCTION chat_shared"),
    ]
