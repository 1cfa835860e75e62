"""Addresses of the pages of conversations."""

from django.urls import path

from chat import shared_page, views
from graphs.site import url_keys

url_keys.register()

urlpatterns = [
    path("inbox/", views.inbox, name="inbox"),
    path("shared/<key:token>/", shared_page.shared, name="shared"),
]
