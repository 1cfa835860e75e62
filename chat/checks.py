"""What `manage.py check` says about models of vendors."""

import os
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from chat.providers.registry import problems


@register()
def models_are_usable(**_options: Any) -> list[CheckMessage]:
    environ = {**os.environ, "LLM_PROVIDER": settings.LLM_PROVIDER, "LLM_MODEL": settings.LLM_MODEL}
    return [Error(sentence, id="chat.E001") for sentence in problems(settings.CHAT_PROVIDERS, environ)]
