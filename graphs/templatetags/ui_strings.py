"""`{% ui_strings %}`: the translations of what scripts say, from STRINGS in the module `ui_strings` of each app."""

from functools import lru_cache
from importlib import import_module

from django import template
from django.apps import apps
from django.utils.html import json_script
from django.utils.module_loading import module_has_submodule
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, override

register = template.Library()


@register.simple_tag
def ui_strings() -> SafeString:
    """`<script type="application/json" id="ui-strings">` with {"English source": "translation"}."""
    return json_script(_translations(get_language() or "en"), "ui-strings")


@lru_cache
def _translations(language: str) -> dict[str, str]:
    with override(language):
        pairs = {source: gettext(source) for source in _sources()}
    return {source: text for source, text in pairs.items() if text != source}


def _sources() -> list[str]:
    found: list[str] = []
    for app in apps.get_app_configs():
        if app.module is not None and module_has_submodule(app.module, "ui_strings"):
            found += getattr(import_module(f"{app.name}.ui_strings"), "STRINGS", [])
    return found
