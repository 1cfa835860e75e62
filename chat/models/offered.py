"""The workspace as whose admins choose its models."""

from django.utils.translation import gettext_lazy as _

from graphs.models import Workspace


class WorkspaceModels(Workspace):
    """A workspace, of which the admin shows the models that may be asked there."""

    class Meta:
        proxy = True
        verbose_name = _("offered models")
        verbose_name_plural = _("offered models")
