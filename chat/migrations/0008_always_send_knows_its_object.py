"""What is always sent names the row of its object; of one that was deleted the history tells which it was."""

from django.db import migrations, models

THERE = """
UPDATE chat_alwayssend AS a SET header = o.id FROM graphs_object AS o
WHERE o.workspace_id = a.workspace_id AND o.type = a.object_type AND o.key = a.object_key
"""
GONE = """
UPDATE chat_alwayssend AS a SET header = (
    SELECT r.object FROM graphs_revision AS r JOIN graphs_changeset AS c ON c.id = r.change_set_id
    WHERE c.workspace = a.workspace_id AND r.type = a.object_type AND r.key = a.object_key ORDER BY r.id DESC LIMIT 1
) WHERE header IS NULL
"""


class Migration(migrations.Migration):

    dependencies = [
        ('chat', '0007_prices'),
        ('graphs', '0006_offered_models'),
    ]

    operations = [
        migrations.AddField(
            model_name='alwayssend',
            name='header',
            field=models.BigIntegerField(editable=False, null=True),
        ),
        migrations.RunSQL(THERE, migrations.RunSQL.noop),
        migrations.RunSQL(GONE, migrations.RunSQL.noop),
    ]
