from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class GraphsConfig(AppConfig):
    name = "graphs"
    verbose_name = _("Graphs")
    default_auto_field = "django.db.models.BigAutoField"
