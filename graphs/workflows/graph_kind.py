"""The kinds of objects that this room brings: graphs, and node types."""

from django.utils.translation import gettext_lazy as _

from graphs.models import Graph
from graphs.objects.kinds import Kind, register
from graphs.workflows.kinds import EDGE, NODE, NODE_TYPE, OWN_FIELDS
from graphs.workflows.store import GraphStore

GRAPH = register(Kind("graph", _("graph"), "name", OWN_FIELDS, Graph, GraphStore(), parts=(NODE, EDGE), url="graph"))
register(NODE_TYPE)
