"""What `manage.py check` says about models of vendors."""

from typing import Any

from django.core.checks import CheckMessage, Error, register

from chat import models_available


@register()
def models_are_usable(**_options: Any) -> list[CheckMessage]:
    return [Error(sentence, id="chat.E001") for sentence in models_available.problems()]
