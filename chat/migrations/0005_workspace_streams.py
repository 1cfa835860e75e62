from typing import Any

from django.db import migrations


def make_streams(apps: Any, _editor: Any) -> None:
    ids = apps.get_model("graphs", "Workspace").objects.order_by("pk").values_list("pk", flat=True)
    stream = apps.get_model("chat", "Stream")
    made = [stream(name=f"workspace_{id_}", workspace_id=id_) for id_ in ids]
    stream.objects.bulk_create(made, ignore_conflicts=True)


class Migration(migrations.Migration):
    dependencies = [("chat", "0004_proposal_brief")]
    operations = [migrations.RunPython(make_streams, migrations.RunPython.noop)]
