"""History is append-only: PostgreSQL itself refuses to change, delete or empty it."""

from typing import ClassVar

from django.db import migrations

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
    dependencies: ClassVar = [("graphs", "0002_history")]
    operations: ClassVar = [
        migrations.RunSQL(FUNCTION, "DROP FUNCTION graphs_refuse_to_rewrite_history"),
        *(migrations.RunSQL(_triggers(table), _without_triggers(table)) for table in TABLES),
    ]
