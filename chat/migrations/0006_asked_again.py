from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("chat", "0005_workspace_streams")]
    operations: ClassVar = [migrations.AddField("proposal", "asked_again", models.JSONField(null=True))]
