"""Refusing what a person asked for, with a code for programs and a sentence for people. Every door shows both."""


class Refused(Exception):
    """`code` is one of validation, conflict, too_many, throttled; `message` says what to do instead."""

    def __init__(self, code: str, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retry_after_s = retry_after_s
