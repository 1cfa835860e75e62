from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('chat', '0005_append_only_events'),
        ('graphs', '0006_offered_models'),
    ]

    operations = [
        migrations.CreateModel(
            name='WorkspaceModels',
            fields=[
            ],
            options={
                'verbose_name': 'offered models',
                'verbose_name_plural': 'offered models',
                'proxy': True,
                'indexes': [],
                'constraints': [],
            },
            bases=('graphs.workspace',),
        ),
    ]
