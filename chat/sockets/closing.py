"""Why a socket is closed from here: its codes."""

from chat.access.checks import End

NOT_AUTHENTICATED, ACCESS_ENDED, NOT_THERE, TOO_SLOW, RESTARTING, TOO_MANY = 4401, 4403, 4404, 4408, 4012, 4429
ACCESS_CODES: dict[End, int] = {"expired": NOT_AUTHENTICATED, "ended": ACCESS_ENDED}


class Closing(Exception):
    """The socket is to be closed with this code."""

    def __init__(self, code: int) -> None:
        super().__init__(str(code))
        self.code = code
