"""Somebody else who holds a stream."""

import threading

from django.db import connections, transaction

from chat.models import Stream


class Holder:
    """A transaction that holds a stream's row until it is told to let go."""

    def __init__(self, stream_id: int) -> None:
        self._stream_id = stream_id
        self._held, self._let_go = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._hold)

    def _hold(self) -> None:
        try:
            with transaction.atomic():
                Stream.objects.select_for_update(no_key=True).get(pk=self._stream_id)
                self._held.set()
                self._let_go.wait(60)
        finally:
            connections.close_all()

    def __enter__(self) -> "Holder":
        self._thread.start()
        assert self._held.wait(30)
        return self

    def let_go(self) -> None:
        self._let_go.set()
        self._thread.join()

    def __exit__(self, *_: object) -> None:
        self.let_go()
