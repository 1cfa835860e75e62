"""Graphs and what they consist of, to be looked at: changes are made on their pages, where they get a history."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Count, Exists, Model, OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from graphs.admin.audit import AuditAdmin, WorkspaceFilter
from graphs.admin.display import change_link, code, column, json_column, list_link
from graphs.admin.versions import VersionedAdmin
from graphs.models import Edge, Graph, Membership, Node, NodeType, Sheet


def counted(model: type[Model], field: str) -> Subquery:
    """How many rows of `model` belong to a row by their foreign key `field`."""
    rows = model._default_manager.filter(**{field: OuterRef("pk")}).order_by().values(field)
    return Subquery(rows.annotate(count=Count("pk")).values("count"))


@admin.register(Graph)
class GraphAdmin(VersionedAdmin, AuditAdmin):
    list_display = ("name", "key", "tenant", "node_count", "edge_count", "version", "updated_at")
    list_select_related = ("workspace",)
    list_filter = (WorkspaceFilter, "updated_at")
    search_fields = ("name", "key", "description")
    fields = (
        *("name", "key", "tenant", "description", "sheets", "node_count", "edge_count"),
        *("version", "created_at", "updated_at", "metadata_text"),
    )
    metadata_text = json_column("metadata", _("metadata"))
    node_count = column(_("nodes"), lambda obj: list_link(Node, obj.node_total or 0, graph__id__exact=obj.pk))
    edge_count = column(_("edges"), lambda obj: list_link(Edge, obj.edge_total or 0, graph__id__exact=obj.pk))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """All graphs; `readable` tells whether the person can open the graph's page, which is for members."""
        mine = Membership.objects.filter(user=request.user.pk, workspace=OuterRef("workspace"))
        rows = super().get_queryset(request).annotate(readable=Exists(mine))
        return rows.annotate(node_total=counted(Node, "graph"), edge_total=counted(Edge, "graph"))

    def view_on_site(self, obj: Graph) -> str | None:
        if not getattr(obj, "readable", False):
            return None
        return reverse("graph", args=[obj.key], query={"workspace": obj.workspace.slug})

    @admin.display(description=_("sheets"))
    def sheets(self, obj: Graph) -> SafeString:
        return format_html_join(", ", "{}", ((change_link(sheet),) for sheet in obj.sheets.all()))


class PartAdmin(AuditAdmin):
    """A part of a graph."""

    workspace_path = "graph__workspace"
    list_filter: ClassVar = (WorkspaceFilter,)
    tenant = column(_("workspace"), lambda obj: str(obj.graph.workspace), "graph__workspace__name")


@admin.register(Sheet)
class SheetAdmin(PartAdmin):
    list_display = ("name", "key", "graph", "tenant", "position", "node_count")
    list_select_related = ("graph__workspace",)
    search_fields = ("name", "key", "graph__name", "graph__key")
    fields = ("name", "key", "graph", "tenant", "position", "node_count")
    node_count = column(_("nodes"), lambda obj: list_link(Node, obj.node_total or 0, sheet__id__exact=obj.pk))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).annotate(node_total=counted(Node, "sheet"))


@admin.register(Node)
class NodeAdmin(PartAdmin):
    list_display = ("__str__", "key", "type", "graph", "sheet", "tenant", "version")
    list_select_related = ("graph__workspace", "sheet")
    search_fields = ("name", "key", "type")
    fields = (
        *("name", "key", "type", "graph", "sheet", "tenant", "version", "process_text", "data_text"),
        *("handles_text", "edges", "pos_x", "pos_y", "width", "height"),
    )
    data_text = json_column("data", _("data"))
    handles_text = json_column("handles", _("handles"))
    process_text = column(_("process"), lambda obj: code(obj.process))

    @admin.display(description=_("edges"))
    def edges(self, obj: Node) -> SafeString:
        name = str(obj)
        comes = [(change_link(edge.source), name) for edge in obj.edges_in.select_related("source")]
        goes = [(name, change_link(edge.target)) for edge in obj.edges_out.select_related("target")]
        return format_html_join(SafeString("<br>"), "{} → {}", [*comes, *goes])


@admin.register(Edge)
class EdgeAdmin(PartAdmin):
    list_display = ("key", "source", "target", "label", "graph", "tenant")
    list_select_related = ("graph__workspace", "source", "target")
    search_fields = ("key", "label")
    fields = (
        *("key", "graph", "sheet", "tenant", "source", "source_handle", "target", "target_handle"),
        *("label", "version"),
    )


@admin.register(NodeType)
class NodeTypeAdmin(VersionedAdmin, AuditAdmin):
    list_display = ("display_name", "key", "category", "tenant", "version")
    list_select_related = ("workspace",)
    list_filter = (WorkspaceFilter,)
    search_fields = ("display_name", "key", "category")
    fields = (
        *("display_name", "key", "tenant", "description", "category", "icon", "version"),
        *("handles_text", "process_text"),
    )
    handles_text = json_column("handles", _("handles"))
    process_text = column(_("process"), lambda obj: code(obj.process))
