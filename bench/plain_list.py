"""What a list takes that only lists: Django's own `ListView` of the same rows, signed in, with a page of that size.

It is what the page with the list is compared with, beside bare SQL, which draws nothing. It has the same columns, a
form to search by and pages; it knows no workspaces, no conversations, no status to filter by, and nothing that waits.
"""

from pathlib import Path
from typing import Any

from django.contrib.auth.mixins import LoginRequiredMixin
from django.db.models import QuerySet
from django.template import engines
from django.urls import clear_url_caches, path
from django.views.generic import ListView

ADDRESS = "/plain-use-cases/"
_PAGE = Path(__file__).with_suffix(".html")


def serve(workspace: Any) -> None:
    """Has this process answer at `ADDRESS` with the use cases of a workspace."""
    from config import urls
    from graphs.models import UseCase

    page: Any = engines["django"].from_string(_PAGE.read_text())

    class PlainList(LoginRequiredMixin, ListView):  # type: ignore[type-arg]
        paginate_by = 50

        def get_queryset(self) -> QuerySet[UseCase]:
            rows = UseCase.objects.filter(workspace=workspace)
            return rows.select_related("folder").order_by("name", "id")

        def get_template_names(self) -> Any:
            return page

    urls.urlpatterns.append(path(ADDRESS.strip("/") + "/", PlainList.as_view()))
    clear_url_caches()
