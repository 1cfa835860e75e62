"""What every socket is for: whose it is, in which workspace, and that each frame asks anew whether they may stay."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from functools import partial
from typing import Any, ClassVar, ParamSpec, TypeVar

from django.core.validators import slug_re

from chat.access.checks import End, Reader, Standing, standings
from chat.access.identity import Identity
from chat.concurrency.database import in_db
from chat.sockets import frames
from chat.sockets.wire import ACCESS_ENDED, NOT_AUTHENTICATED, Closing, Wire
from graphs.site.access import Member, NotFound, member_of

P = ParamSpec("P")
T = TypeVar("T")

ENDINGS: dict[End, int] = {"expired": NOT_AUTHENTICATED, "ended": ACCESS_ENDED}


class Desk(ABC):
    """`identity` is whoever is at it, None while nobody knows; `at_graph` how it is counted.

    `workspace` is the slug that the connection named, `home` the id of the workspace it is in (None for none).
    """

    at_graph: ClassVar[bool] = False
    __slots__ = ("_wire", "_workspace", "home", "identity")

    def __init__(self, wire: Wire, workspace: str) -> None:
        self._wire = wire
        self._workspace = workspace
        self.home: int | None = None
        self.identity: Identity | None = None

    def enter(self, person: Identity) -> None:
        """From now on frames are this person's."""
        self.identity = person
        self.home = person.home(self._workspace)

    @abstractmethod
    async def begin(self) -> None:
        """The person is known and may stay; called once."""

    @abstractmethod
    def reader(self) -> Reader:
        """Who reads what, for checks of access."""

    @abstractmethod
    def read(self, data: Any) -> frames.Frame:
        """A frame of this socket; raises `Refused`."""

    @abstractmethod
    async def do(self, frame: Any) -> None:
        """Carries out one frame and answers it. Raises what refuses it, or `Closing` when the person may not stay."""

    @abstractmethod
    def lose(self, stream_ids: Collection[int]) -> None:
        """They may not read on these streams."""

    @abstractmethod
    def leave(self) -> None:
        """The connection is gone."""

    async def _as_person(self, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """`act(...)` in the database, if the person still may be here: asked for every frame anew."""
        return await in_db(self._checked, partial(act, *args, **kwargs))

    def _checked(self, act: Callable[[], T]) -> T:
        require_good(standings([self.reader()])[0])
        return act()

    def _here(self) -> Member:
        """The person in the socket's workspace. Raises `NotFound`."""
        assert self.identity is not None
        if self._workspace and not slug_re.fullmatch(self._workspace):
            raise NotFound
        return member_of(self.identity.user, self._workspace or None)


def require_good(standing: Standing) -> None:
    """Raises `Closing` where the person may not stay."""
    if standing.end:
        raise Closing(ENDINGS[standing.end])
