"""Who runs may fold events, and chooses no other bounds than compaction has: no time to come, no longer rows."""

from importlib import import_module

from django.db import migrations

BEFORE = import_module("chat.migrations.0005_append_only_events")
BOUNDED = """BEGIN
    days := greatest(days, 0);
    stretch := least(greatest(stretch, 1), 10000);
    row_chars := least(greatest(row_chars, 1), 65536);
"""


def replacing(function: str) -> str:
    return f"{function.replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION', 1)}; {BEFORE.OF_THE_OWNER}"


class Migration(migrations.Migration):
    dependencies = [
        ("chat", "0010_deleted_while_untrusted"),
    ]

    operations = [
        migrations.RunSQL(replacing(BEFORE.FOLD.replace("BEGIN\n", BOUNDED, 1)), replacing(BEFORE.FOLD)),
    ]
