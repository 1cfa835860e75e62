"""What was modified between two versions is found by their change sets: their index and that of an item are enough."""

from typing import ClassVar

from django.db import migrations


class Migration(migrations.Migration):
    dependencies: ClassVar = [("graphs", "0005_edges_by_both_ends")]
    operations: ClassVar = [migrations.RemoveIndex("modification", "modification_of_object")]
