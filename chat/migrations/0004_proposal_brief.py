from typing import Any

from django.db import migrations, models

from chat.proposals.shortening import shorten

AT_ONCE = 20


def shorten_all(apps: Any, _editor: Any) -> None:
    proposals = apps.get_model("chat", "Proposal").objects.order_by()
    ids = list(proposals.values_list("pk", flat=True))
    for start in range(0, len(ids), AT_ONCE):
        some = list(proposals.filter(pk__in=ids[start : start + AT_ONCE]).defer("operations"))
        for proposal in some:
            shorten(proposal)
        proposals.bulk_update(some, ["brief"])


class Migration(migrations.Migration):
    dependencies = [("chat", "0003_proposals")]
    operations = [
        migrations.AddField(model_name="proposal", name="brief", field=models.JSONField(default=dict)),
        migrations.RunPython(shorten_all, migrations.RunPython.noop),
    ]
