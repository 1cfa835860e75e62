"""Refusing what a person asked for, with a code for programs and a sentence for people. Every door shows both."""


class Refused(Exception):
    """`code` is one of validation, conflict, idempotency_key, too_many, throttled; `message` says what to do instead.

    `field` names what was wrong, as on the wire.
    """

    def __init__(self, code: str, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field
