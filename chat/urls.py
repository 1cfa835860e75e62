"""Addresses of the pages of conversations."""

from django.urls import path

from chat import search_page, views

urlpatterns = [
    path("inbox/", views.inbox, name="inbox"),
    path("search/", search_page.search_page, name="search"),
]
