"""The search field of a list is in the language of its reader."""

from pathlib import Path

import pytest
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import User
from django.urls import reverse

from tests.graphs.admin.staff import superuser

DJANGOS = Path(admin.__file__).parent / "templates"
SEARCHED = [
    (model._meta.app_label, model._meta.model_name) for model, of in admin.site._registry.items() if of.search_fields
]


@pytest.mark.parametrize(("app", "model"), SEARCHED)
@pytest.mark.parametrize(("language", "said"), [("fr", "Rechercher"), ("en", "Search")])
@pytest.mark.django_db
def test_its_image_is_called_in_the_language_of_the_page(
    alice: User, app: str, model: str, language: str, said: str
) -> None:
    page = superuser().get(reverse(f"admin:{app}_{model}_changelist"), headers={"Accept-Language": language})
    assert f'alt="{said}"' in page.content.decode()
    assert 'alt="Search"' not in page.content.decode() or language == "en"


def test_the_form_is_otherwise_that_of_django() -> None:
    """It is a copy: there is no block to fill in. This fails where an update has another one."""
    own, theirs = (folder / "admin/search_form.html" for folder in (settings.BASE_DIR / "templates", DJANGOS))
    assert own.read_text().replace("alt=\"{% translate 'Search' %}\"", 'alt="Search"') == theirs.read_text()
