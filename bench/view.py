"""The least that an application with a database does: a Django view that stores question and answer with the ORM.

python -m bench.view --fd N --vendor URL --database CONNINFO

Daphne serves it as it serves the product. The view calls the vendor with the same SDK and waits for the whole
answer. It knows no people, no objects, no events, no budgets.
"""

import argparse
import json
import os
import socket
import sys
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django
from psycopg.conninfo import conninfo_to_dict

django.setup()

from django.conf import settings  # noqa: E402
from django.core.handlers.asgi import ASGIHandler  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.http import HttpRequest, JsonResponse  # noqa: E402
from django.urls import path  # noqa: E402
from openai import OpenAI  # noqa: E402

from bench.relay import BareServer  # noqa: E402
from chat.web.server import reactor  # noqa: E402


class Asked(models.Model):
    """A question, or the answer to one."""

    conversation = models.UUIDField(default=None, null=True)
    role = models.CharField(max_length=20)
    content = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        app_label = "bench"


_clients: list[OpenAI] = []


def ask(request: HttpRequest) -> JsonResponse:
    text = json.loads(request.body)["message"]
    Asked.objects.create(role="user", content=text)
    chunks = _clients[0].chat.completions.create(
        model="mock", messages=[{"role": "user", "content": text}], stream=True
    )
    answer = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    Asked.objects.create(role="assistant", content=answer)
    return JsonResponse({"message": answer})


urlpatterns = [path("api/v1/chat/messages", ask)]


class ViewServer(BareServer):
    """The product's server around Django alone."""

    def __init__(self, listening: socket.socket) -> None:
        super().__init__(listening, None)

    async def _start(self) -> None:
        await super()._start()
        self.application = ASGIHandler()

    async def _drain(self) -> None:
        reactor.stop()


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.view")
    parser.add_argument("--fd", type=int, required=True)
    parser.add_argument("--vendor", required=True)
    parser.add_argument("--database", required=True)
    options = parser.parse_args(arguments)
    place: dict[str, Any] = conninfo_to_dict(options.database)
    connection.settings_dict |= {"NAME": place["dbname"], "HOST": place["host"], "USER": place.get("user", "")}
    settings.MIDDLEWARE, settings.ROOT_URLCONF = [], __name__
    _clients.append(OpenAI(base_url=options.vendor, api_key="none"))
    with connection.schema_editor() as editor:
        if Asked._meta.db_table not in connection.introspection.table_names():
            editor.create_model(Asked)
    ViewServer(socket.socket(fileno=options.fd)).run()


if __name__ == "__main__":
    main(sys.argv[1:])
