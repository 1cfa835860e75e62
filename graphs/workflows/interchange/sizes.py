"""The limits on what one file may hold, counted before anything is built. Called by the readers."""

from django.utils.translation import gettext as _

from graphs.workflows.interchange.base import Limits, refuse


def check_nodes(count: int, limits: Limits) -> None:
    """Refuses a file without nodes or with too many."""
    if count == 0:
        raise refuse("nodes", _("The file holds no nodes."))
    if limits.max_nodes is not None and count > limits.max_nodes:
        message = _("The file holds {count} nodes; at most {most} are read here. Larger files need the command.")
        raise refuse("nodes", message.format(count=count, most=limits.max_nodes))


def check_list(field: str, count: int, limits: Limits) -> None:
    """Refuses a list of connections, sheets or the like with more entries than belong to so many nodes."""
    if limits.max_edges is not None and count > limits.max_edges:
        message = _("There are {count} of these; at most {most} are read here. Larger files need the command.")
        raise refuse(field, message.format(count=count, most=limits.max_edges))
