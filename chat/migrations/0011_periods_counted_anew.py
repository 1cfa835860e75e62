from datetime import date
from typing import Any

from django.db import migrations
from django.db.models import Q
from django.utils import timezone


def count_anew(apps: Any, _editor: Any) -> None:
    """Present periods that miss what was spent while their budget was off: the next call begins them with all of it."""
    today, ever = timezone.localdate(), date(1970, 1, 1)
    present = Q(budget__period="day", starts_on=today)
    present |= Q(budget__period="month", starts_on=today.replace(day=1))
    present |= Q(budget__period="total", starts_on=ever)
    apps.get_model("chat", "BudgetUse").objects.filter(present, reserved=0).delete()


class Migration(migrations.Migration):
    dependencies = [("chat", "0010_prompting")]
    operations = [migrations.RunPython(count_anew, migrations.RunPython.noop)]
