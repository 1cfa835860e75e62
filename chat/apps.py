from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules
from django.utils.translation import gettext_lazy as _


class ChatConfig(AppConfig):
    name = "chat"
    verbose_name = _("Conversations")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from chat import checks  # noqa: F401
        from chat.actions.generating import generate_for_model
        from chat.events import notices, toasts
        from chat.proposals import explaining
        from chat.spending import embeddings
        from chat.subjects import registered_subjects
        from chat.subjects.graphs.subject import GraphSubject
        from chat.subjects.records.subject import register_records
        from chat.tools import generating
        from graphs.workflows.store import GRAPH
        from rag.embeddings import metering

        metering.use(embeddings.meter)
        explaining.register()
        generating.door.begin = generate_for_model
        notices.register()
        toasts.register()
        registered_subjects.register(GRAPH.name, GraphSubject())
        register_records()
        autodiscover_modules("subjects")
