"""Addresses under `/api/v1/` that belong to graphs and to signing in."""

from django.urls import path

from graphs.api import (
    changes,
    graphs,
    history,
    matrix,
    new_graphs,
    object_copies,
    object_files,
    object_trust,
    objects,
)
from graphs.site import url_keys
from graphs.site.api import auth, openapi

url_keys.register()

urlpatterns = [
    path("auth/token", auth.TokenView.as_view()),
    path("auth/token/refresh", auth.RefreshView.as_view()),
    path("auth/token/revoke", auth.RevokeView.as_view()),
    path("graphs", new_graphs.GraphsView.as_view(), name="api-graphs"),
    path("graphs/import", graphs.ImportView.as_view(), {"key": "import"}),
    path("graphs/<key:key>", graphs.GraphView.as_view(), name="api-graph"),
    path("graphs/<key:key>/changes", changes.ChangesView.as_view(), name="api-graph-changes"),
    path("graphs/<key:key>/export", graphs.ExportView.as_view(), name="api-graph-export"),
    path("graphs/<key:key>/trust", graphs.TrustView.as_view(), name="api-graph-trust"),
    path("node-types", changes.NodeTypesView.as_view(), name="api-node-types"),
    path("node-types/<key:node_type>/trust", changes.NodeTypeTrustView.as_view(), name="api-node-type-trust"),
    path("kinds", objects.KindsView.as_view(), name="api-kinds"),
    path("objects", objects.ObjectsView.as_view(), name="api-objects"),
    path("objects/<key:kind>", objects.NewObjectView.as_view(), name="api-new-object"),
    path("objects/<key:object_type>/import", object_files.ImportView.as_view(), {"object_id": "import"}),
    path(
        "objects/<key:object_type>/export",
        object_files.ExportView.as_view(),
        {"object_id": "export"},
        name="api-export-objects",
    ),
    path("objects/<key:object_type>/<key:object_id>", objects.ObjectView.as_view(), name="api-object"),
    path("objects/<key:object_type>/<key:object_id>/changes", objects.ObjectChangesView.as_view()),
    path("objects/<key:object_type>/<key:object_id>/copy", object_copies.ObjectCopyView.as_view()),
    path("objects/<key:object_type>/<key:object_id>/trust", object_trust.ObjectTrustView.as_view()),
    path("folders/<key:folder>/matrix", matrix.MatrixView.as_view(), name="api-matrix"),
    path("folders/<key:folder>/matrix.svg", matrix.SvgView.as_view(), name="api-matrix-svg"),
    path("folders/<key:folder>/matrix.png", matrix.PngView.as_view(), name="api-matrix-png"),
    path("folders/<key:folder>/matrix/preview", matrix.PreviewView.as_view(), name="api-matrix-preview"),
    path("history", history.HistoryView.as_view(), name="api-history"),
    path("history/export", history.HistoryExportView.as_view(), name="api-history-export"),
    path("history/rollback", history.RollbackView.as_view(), name="api-rollback"),
    path("history/versions", history.VersionsView.as_view(), name="api-versions"),
    path("history/<key:change_set_id>", history.ChangeSetView.as_view(), name="api-change-set"),
    path("history/<key:change_set_id>/rollback", history.ChangeSetRollbackView.as_view()),
    path("schema", openapi.SchemaView.as_view()),
]
