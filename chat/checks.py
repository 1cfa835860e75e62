"""What `manage.py check` says about models of vendors."""

from typing import Any

from django.core.checks import CheckMessage, Error, register

from chat.engine import available_models


@register()
def models_are_usable(**_options: Any) -> list[CheckMessage]:
    return [Error(sentence, id="chat.E001") for sentence in available_models.problems()]
