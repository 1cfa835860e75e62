"""A `Ref` in what a request says; apart from `refs`, which is loaded where nobody asks anything."""

from typing import Annotated

from pydantic import Field

from graphs.objects.refs import Ref
from graphs.site.api.bodies import Body


class RefBody(Body):
    """An object, or a part of one, as the doors name it."""

    type: Annotated[str, Field(min_length=1, max_length=30)]
    id: Annotated[str, Field(min_length=1, max_length=250)]

    @property
    def ref(self) -> Ref:
        return Ref(self.type, self.id)
