"""Addresses of the pages of graphs and of signing in."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from graphs import views
from graphs.site import url_keys

url_keys.register()

urlpatterns = [
    path("", views.home, name="home"),
    path("accounts/login/", views.LoginPage.as_view(), name="login"),
    path("accounts/logout/", LogoutView.as_view(), name="logout"),
    path("import/", views.import_graph, name="import"),
    path("graphs/<key:key>/", views.graph_detail, name="graph"),
]
