"""How the admin shows links, code and JSON."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from graphs.site.readable_json import readable


def link(address: str, text: Any) -> SafeString:
    return format_html('<a href="{}">{}</a>', address, text)


def change_link(shown: Model, text: Any = None) -> SafeString:
    """A link to the admin's page about a row."""
    meta = shown._meta
    address = reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[shown.pk])
    return link(address, str(shown) if text is None else text)


def list_link(model: type[Model], text: Any, **filters: Any) -> SafeString:
    """A link to the admin's list of a kind of row, filtered."""
    meta = model._meta
    return link(reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist", query=filters), text)


def code(text: str) -> SafeString:
    """Source code as written."""
    return format_html('<pre class="code">{}</pre>', text) if text else SafeString("—")


def pretty(value: Any) -> str:
    """A JSON value as readable text."""
    return readable(value)


def json_code(value: Any) -> SafeString:
    """A JSON value as readable code; nothing where it is empty."""
    return code(pretty(value)) if value else SafeString("—")


def column(description: Any, shown: Callable[[Any], Any], ordering: str | None = None) -> Callable[[Any, Any], Any]:
    """A method for the class of an admin: what `shown` gives for a row."""

    @admin.display(description=description, ordering=ordering)
    def method(_admin: Any, obj: Any) -> Any:
        return shown(obj)

    return method


def json_column(field: str, description: Any) -> Callable[[Any, Any], Any]:
    """A method for the class of an admin: the JSON in this field of a row."""
    return column(description, lambda obj: json_code(getattr(obj, field)))
