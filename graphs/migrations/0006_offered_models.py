import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('graphs', '0005_untrusted_imports'),
    ]

    operations = [
        migrations.AddField(
            model_name='workspace',
            name='offered_models',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=300), blank=True, null=True, size=None, verbose_name='offered models'),
        ),
    ]
