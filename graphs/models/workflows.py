"""Workflow graphs: graphs, their sheets, nodes and edges, and the node types of a workspace."""

from typing import ClassVar

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.db import models
from django.db.models.functions import Cast, Left
from django.utils.translation import gettext_lazy as _

from graphs.models.objects import MAX_KEY, Object
from graphs.models.visible_text import is_blank

#: Types every workspace has without a `NodeType` row.
BUILT_IN_TYPES = ("starter", "return", "html", "entryType", "note")


#: Characters of keys, names and descriptions.
MAX_EDGE_KEY = 250
MAX_NAME = 200
MAX_DESCRIPTION = 10_000

#: A tsvector holds at most a megabyte; longer code is searched by its beginning.
SEARCHED_CHARS = 100_000


def words(expression: models.expressions.Combinable, weight: str) -> SearchVector:
    """The words of a text for full-text search: `fetchApi`, `fetch-api` and `fetch_api` are all "fetch api"."""
    text: models.Func | Left = Left(expression, SEARCHED_CHARS)
    for pattern, replacement in (("([a-z0-9])([A-Z])", r"\1 \2"), ("[^[:alnum:]]+", " ")):
        text = models.Func(
            text,
            models.Value(pattern),
            models.Value(replacement),
            models.Value("g"),
            function="regexp_replace",
            output_field=models.TextField(),
        )
    return SearchVector(text, config="simple", weight=weight)


class Graph(Object):
    TYPE = "graph"

    object = models.OneToOneField(Object, models.CASCADE, parent_link=True, primary_key=True)
    name = models.CharField(_("name"), max_length=MAX_NAME)
    description = models.TextField(_("description"), blank=True)
    metadata = models.JSONField(_("metadata"), default=dict, blank=True)

    class Meta:
        verbose_name = _("graph")
        verbose_name_plural = _("graphs")
        ordering = ("name", "pk")

    def __str__(self) -> str:
        return self.title

    @property
    def title(self) -> str:
        """What people read: the name, or the key where the name is blank."""
        return self.key if is_blank(self.name) else self.name.strip()


class Sheet(models.Model):
    """A page of a graph."""

    graph = models.ForeignKey(Graph, models.CASCADE, related_name="sheets", verbose_name=_("graph"), db_index=False)
    key = models.CharField(_("key"), max_length=MAX_KEY)
    name = models.CharField(_("name"), max_length=MAX_NAME)
    position = models.PositiveIntegerField(_("position"), default=0)
    version = models.PositiveIntegerField(_("version"), default=1, db_default=1)

    class Meta:
        verbose_name = _("sheet")
        verbose_name_plural = _("sheets")
        ordering = ("position", "id")
        constraints: ClassVar = [models.UniqueConstraint(fields=["graph", "key"], name="sheet_key_in_graph")]

    def __str__(self) -> str:
        return self.name


class Node(models.Model):
    """A step of a workflow: `process` is its code, `data` its settings; the database keeps `search`, its words, true.

    `handles` is `{side: [{id, type: "in" | "out", accept, label?}]}` with the sides R, L, T and B.
    """

    graph = models.ForeignKey(Graph, models.CASCADE, related_name="nodes", verbose_name=_("graph"), db_index=False)
    sheet = models.ForeignKey(Sheet, models.CASCADE, related_name="nodes", verbose_name=_("sheet"))
    key = models.CharField(_("key"), max_length=MAX_KEY)
    name = models.CharField(_("name"), max_length=MAX_NAME, blank=True)
    type = models.CharField(_("type"), max_length=200)
    process = models.TextField(_("process"), blank=True)
    data = models.JSONField(_("data"), default=dict, blank=True)
    handles = models.JSONField(_("handles"), default=dict, blank=True)
    pos_x = models.FloatField(_("x"), default=0)
    pos_y = models.FloatField(_("y"), default=0)
    width = models.FloatField(_("width"), null=True, blank=True)
    height = models.FloatField(_("height"), null=True, blank=True)
    version = models.PositiveIntegerField(_("version"), default=1)
    search = models.GeneratedField(
        expression=words(models.F("key"), "A")
        + words(models.F("name"), "A")
        + words(models.F("type"), "B")
        + words(models.F("process"), "C")
        + words(Cast("data", models.TextField()), "D"),
        output_field=SearchVectorField(),
        db_persist=True,
    )

    class Meta:
        verbose_name = _("node")
        verbose_name_plural = _("nodes")
        ordering = ("id",)
        constraints: ClassVar = [models.UniqueConstraint(fields=["graph", "key"], name="node_key_in_graph")]
        indexes: ClassVar = [
            GinIndex(fields=["search"], name="node_search"),
            # Finds the first nodes of a type, however many there are of it.
            models.Index(fields=["graph", "type", "id"], name="node_of_type"),
        ]

    def __str__(self) -> str:
        return self.name or self.key


class Edge(models.Model):
    """A connection from an `out` handle of one node to an `in` handle of another."""

    graph = models.ForeignKey(Graph, models.CASCADE, related_name="edges", verbose_name=_("graph"), db_index=False)
    sheet = models.ForeignKey(Sheet, models.CASCADE, related_name="edges", verbose_name=_("sheet"))
    key = models.CharField(_("key"), max_length=MAX_EDGE_KEY)
    source = models.ForeignKey(Node, models.CASCADE, related_name="edges_out", verbose_name=_("source"), db_index=False)
    source_handle = models.CharField(_("source handle"), max_length=100, blank=True)
    target = models.ForeignKey(Node, models.CASCADE, related_name="edges_in", verbose_name=_("target"))
    target_handle = models.CharField(_("target handle"), max_length=100, blank=True)
    label = models.CharField(_("label"), max_length=200, blank=True)
    version = models.PositiveIntegerField(_("version"), default=1)

    class Meta:
        verbose_name = _("edge")
        verbose_name_plural = _("edges")
        ordering = ("id",)
        constraints: ClassVar = [models.UniqueConstraint(fields=["graph", "key"], name="edge_key_in_graph")]
        # Also finds whether a node of 40,000 edges leads to one of a few others without reading them all.
        indexes: ClassVar = [models.Index(fields=["source", "target"], name="edge_source_target")]

    def __str__(self) -> str:
        return self.key


class NodeTypes(models.Manager["NodeType"]):
    """Node types without their words, which only statements read that search them."""

    def get_queryset(self) -> models.QuerySet["NodeType"]:
        return super().get_queryset().defer("search")


class NodeType(Object):
    """A type of node that a workspace defined, beside the built-in ones; the database keeps `search`, its words, true.

    They weigh less than the words of a node itself.
    """

    TYPE = "nodeType"

    object = models.OneToOneField(Object, models.CASCADE, parent_link=True, primary_key=True)
    display_name = models.CharField(_("display name"), max_length=200)
    description = models.TextField(_("description"), blank=True)
    category = models.CharField(_("category"), max_length=100, blank=True)
    icon = models.CharField(_("icon"), max_length=100, blank=True)
    handles = models.JSONField(_("handles"), default=dict, blank=True)
    process = models.TextField(_("process"), blank=True)
    search = models.GeneratedField(
        expression=words(models.F("display_name"), "C")
        + words(models.F("category"), "D")
        + words(models.F("description"), "D"),
        output_field=SearchVectorField(),
        db_persist=True,
    )

    objects: ClassVar[NodeTypes] = NodeTypes()

    class Meta:
        verbose_name = _("node type")
        verbose_name_plural = _("node types")
        ordering = ("display_name", "pk")
        indexes: ClassVar = [GinIndex(fields=["search"], name="node_type_search")]

    def __str__(self) -> str:
        return self.display_name
