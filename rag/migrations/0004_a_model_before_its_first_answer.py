from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("rag", "0003_graphs_without_a_budget"),
    ]

    operations = [
        migrations.AlterField(
            model_name="embeddingmodel",
            name="dimensions",
            field=models.PositiveSmallIntegerField(null=True, verbose_name="dimensions"),
        ),
    ]
