"""Orders to die or to freeze at a place, in a folder that a test shares with the processes it started."""

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Order:
    """Kill or stop yourself before or after crossing the place the n-th time since the order was given."""

    number: int
    place: str
    when: str
    nth: int = 1
    how: str = "SIGKILL"


class Orders:
    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self._file = self.folder / "order"
        self._seen: set[str] = set()

    def give(self, order: Order) -> None:
        fresh = self.folder / "order.new"
        fresh.write_text(f"{order.number} {order.place} {order.when} {order.nth} {order.how}")
        fresh.replace(self._file)

    def withdraw(self) -> None:
        self._file.unlink(missing_ok=True)

    def current(self) -> Order | None:
        try:
            number, place, when, nth, how = self._file.read_text().split()
        except FileNotFoundError:
            return None
        return Order(int(number), place, when, int(nth), how)

    def take(self, order: Order, pid: int) -> bool:
        """Whether it is this process that obeys: the first one leaves its number, and nobody follows it."""
        try:
            handle = os.open(self._taken(order), os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        except FileExistsError:
            return False
        os.write(handle, str(pid).encode())
        os.close(handle)
        return True

    def taken_by(self, order: Order) -> int | None:
        """The process that obeyed this order."""
        try:
            return int(self._taken(order).read_text() or 0) or None
        except FileNotFoundError:
            return None

    def note(self, place: str) -> None:
        """Remembers for the test that the place was crossed."""
        if place not in self._seen:
            self._seen.add(place)
            with (self.folder / f"crossed-{os.getpid()}").open("a") as file:
                file.write(f"{place}\n")

    def crossed(self) -> set[str]:
        """Every place that any process crossed."""
        return {line for file in self.folder.glob("crossed-*") for line in file.read_text().split()}

    def _taken(self, order: Order) -> Path:
        return self.folder / f"taken-{order.number}"
