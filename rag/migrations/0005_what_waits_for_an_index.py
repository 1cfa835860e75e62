from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("rag", "0004_a_model_before_its_first_answer"),
    ]

    operations = [
        migrations.AddField(
            model_name="embeddedgraph",
            name="fitted",
            field=models.BooleanField(db_default=False, verbose_name="has the index that it needs"),
        ),
        migrations.AddField(
            model_name="embeddingfailure",
            name="content_hash",
            field=models.BinaryField(db_default=b"", max_length=16, verbose_name="hash of the text"),
        ),
    ]
