from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RagConfig(AppConfig):
    name = "rag"
    verbose_name = _("What the model sees")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from rag import checks  # noqa: F401
        from rag.embeddings import waking  # noqa: F401
        from rag.retrieval import cache  # noqa: F401
