"""Addresses of the pages of conversations."""

from django.urls import path

from chat import inbox

urlpatterns = [path("inbox/", inbox.inbox, name="inbox")]
