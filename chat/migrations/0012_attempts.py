from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("chat", "0011_periods_counted_anew")]
    operations = [
        migrations.AddField("modelcall", "attempt", models.UUIDField(editable=False, null=True, unique=True)),
    ]
