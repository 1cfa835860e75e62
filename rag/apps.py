from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RagConfig(AppConfig):
    name = "rag"
    verbose_name = _("What the model sees")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from rag import checks  # noqa: F401
        from rag.embeddings import collections
        from rag.sources import registered_sources
        from rag.sources.graphs import cache  # noqa: F401
        from rag.sources.graphs.nodes import FAMILY, GraphFamily
        from rag.sources.graphs.source import SourceOfGraphs
        from rag.sources.objects import additions
        from rag.sources.objects import collection as objects
        from rag.sources.objects.source import SourceOfObjects
        from rag.sources.records.matrix import PlacesOfUseCases

        collections.register(FAMILY, GraphFamily())
        collections.register(objects.FAMILY, objects.ObjectFamily())
        registered_sources.register("graph", SourceOfGraphs())
        registered_sources.register(registered_sources.ANY, SourceOfObjects())
        additions.register("usecase", PlacesOfUseCases())
