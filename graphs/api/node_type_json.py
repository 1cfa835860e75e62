"""Node types as the API answers with them."""

from typing import Self

from django.utils.translation import gettext

from graphs.site.api.paging import PageShape
from graphs.workflows.exports import ExportedNodeType
from graphs.workflows.node_types import TypeRecord


class NodeTypeShape(ExportedNodeType):
    built_in: bool

    @classmethod
    def of(cls, record: TypeRecord) -> Self:
        """A built-in type in the language of its reader."""
        return cls.from_attributes(
            record,
            display_name=gettext(record.display_name),
            description=gettext(record.description),
            category=gettext(record.category),
            built_in=True,
        )


class CustomNodeType(ExportedNodeType):
    version: int


class NodeTypePage(PageShape[CustomNodeType]): ...
