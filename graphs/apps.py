from django.apps import AppConfig
from django.db.backends.signals import connection_created
from django.utils.module_loading import autodiscover_modules
from django.utils.translation import gettext_lazy as _


class GraphsConfig(AppConfig):
    name = "graphs"
    verbose_name = _("Graphs")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from graphs import checks  # noqa: F401
        from graphs.history import outside
        from graphs.site import database_away, known_device, sign_in_events, sign_ins  # noqa: F401 - which hear of sign-ins
        from graphs.site.telemetry import listening
        from graphs.workflows import store, trust  # noqa: F401 - which hears of what comes back

        connection_created.connect(database_away.heed)
        listening.start()
        # Lists of kinds begin with graphs.
        from graphs.records import kinds, looks  # noqa: F401

        looks.register()

        autodiscover_modules("objects")
        outside.watch()
