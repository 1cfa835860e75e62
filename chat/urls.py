"""Addresses of the pages of conversations."""

from django.urls import path

from chat import views

urlpatterns = [
    path("inbox/", views.inbox, name="inbox"),
    path("queue/", views.queue, name="queue"),
]
