"""A change set may take back several: those of a turn, of a conversation."""

from typing import ClassVar

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
from django.db import migrations, models

FORWARD = """
ALTER TABLE graphs_changeset ALTER COLUMN undoes TYPE uuid[]
    USING CASE WHEN undoes IS NULL THEN '{}'::uuid[] ELSE ARRAY[undoes] END;
ALTER TABLE graphs_changeset ALTER COLUMN undoes SET NOT NULL
"""
BACKWARD = """
ALTER TABLE graphs_changeset ALTER COLUMN undoes DROP NOT NULL;
ALTER TABLE graphs_changeset ALTER COLUMN undoes TYPE uuid
    USING CASE WHEN cardinality(undoes) = 1 THEN undoes[1] END
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("graphs", "0003_history_is_append_only")]
    operations: ClassVar = [
        migrations.RemoveIndex("changeset", "change_set_undoes"),
        migrations.RunSQL(
            FORWARD,
            BACKWARD,
            state_operations=[
                migrations.AlterField(
                    "changeset",
                    "undoes",
                    django.contrib.postgres.fields.ArrayField(
                        models.UUIDField(), default=list, size=None, verbose_name="undoes"
                    ),
                )
            ],
        ),
        migrations.AddIndex(
            "changeset",
            django.contrib.postgres.indexes.GinIndex(
                condition=~models.Q(undoes=[]), fields=["undoes"], name="change_set_undone"
            ),
        ),
    ]
