"""Whether an object was untrusted as it was deleted: a function, which is only planned where a name leads to nothing."""

from django.db import migrations

CREATE = """
CREATE FUNCTION chat_went_untrusted(place bigint, conversation uuid, kind_name text, key_name text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM chat_run AS run JOIN graphs_changeset AS c ON c.created_at >= run.created_at
        JOIN graphs_modification AS m ON m.change_set_id = c.id
        WHERE run.session_id = conversation AND run.status = 'running' AND c.workspace = place
            AND m.action = 'delete' AND m.type = kind_name AND m.kind = kind_name AND m.key = key_name
            AND m.old->'other columns' ? 'untrusted_since'
    );
END
$$
"""


class Migration(migrations.Migration):

    dependencies = [
        ('chat', '0009_price_source'),
    ]

    operations = [migrations.RunSQL(CREATE, "DROP FUNCTION chat_went_untrusted")]
