"""How the answers of the API name an object."""

from pydantic import with_config
from typing_extensions import TypedDict


@with_config(extra="forbid")
class ObjectName(TypedDict):
    type: str
    id: str
