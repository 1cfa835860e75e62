"""Addresses under `/api/v1/` that belong to graphs and to signing in."""

from django.urls import path

from graphs import url_keys
from graphs.api import auth, changes, graphs, openapi

url_keys.register()

urlpatterns = [
    path("auth/token", auth.TokenView.as_view()),
    path("auth/token/refresh", auth.RefreshView.as_view()),
    path("graphs", graphs.GraphsView.as_view(), name="api-graphs"),
    path("graphs/import", graphs.ImportView.as_view(), {"key": "import"}),
    path("graphs/<key:key>", graphs.GraphView.as_view(), name="api-graph"),
    path("graphs/<key:key>/changes", changes.ChangesView.as_view(), name="api-graph-changes"),
    path("graphs/<key:key>/export", graphs.ExportView.as_view(), name="api-graph-export"),
    path("node-types", changes.NodeTypesView.as_view(), name="api-node-types"),
    path("schema", openapi.SchemaView.as_view()),
]
