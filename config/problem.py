"""The one way in which starting ends badly: a sentence for the person who started."""


class Problem(SystemExit):
    """Uncaught it prints its sentence to stderr and ends the process with exit code 1, without a traceback."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence
