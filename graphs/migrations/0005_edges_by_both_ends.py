import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("graphs", "0004_several_taken_back")]

    operations = [
        migrations.AddIndex(
            model_name="edge",
            index=models.Index(fields=["source", "target"], name="edge_source_target"),
        ),
        migrations.AlterField(
            model_name="edge",
            name="source",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="edges_out",
                to="graphs.node",
                verbose_name="source",
            ),
        ),
    ]
