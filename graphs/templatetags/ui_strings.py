"""`{% ui_strings %}`: the translations of what scripts say, from the catalogues `djangojs` of `LOCALE_PATHS`."""

from functools import lru_cache

from django import template
from django.conf import settings
from django.utils.html import json_script
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation.trans_real import DjangoTranslation
from django.views.i18n import JSONCatalog

register = template.Library()


@register.simple_tag
def ui_strings() -> SafeString:
    """`<script type="application/json" id="ui-strings">` with {"English source": "translation"}."""
    return json_script(_translations(get_language() or "en"), "ui-strings")


@lru_cache
def _translations(language: str) -> dict[str, str | list[str]]:
    """The translations of our scripts. Those of other apps' scripts are not in `LOCALE_PATHS`."""
    catalog = JSONCatalog()
    paths = [str(path) for path in settings.LOCALE_PATHS]
    catalog.translation = DjangoTranslation(language, domain="djangojs", localedirs=paths)
    return {source: text for source, text in catalog.get_catalog().items() if text != source}
