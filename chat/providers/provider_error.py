"""How a call of a model fails."""

from graphs.site.vendor_errors import RETRYABLE, ErrorCode


class ProviderError(Exception):
    """A call failed. `code` is one of eight; `detail` is for logs and never holds a key or a URL with one.

    `said` is what the vendor wrote about it: it may quote the request, so it is only told where text is asked for.
    `retry_after` is in seconds, where the vendor said so. `billed`: the vendor may have read the request and written
    something, so the call may cost money; one that was refused or never reached it does not.
    """

    def __init__(
        self,
        code: ErrorCode,
        detail: str,
        *,
        said: str = "",
        retryable: bool | None = None,
        status: int | None = None,
        retry_after: float | None = None,
        billed: bool = False,
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.said = said
        self.retryable = code in RETRYABLE if retryable is None else retryable
        self.status = status
        self.retry_after = retry_after
        self.billed = billed

    def reworded(self, detail: str, said: str, *, billed: bool) -> "ProviderError":
        """This failure in other words, by somebody who knows whether it was billed."""
        return ProviderError(
            self.code,
            detail,
            said=said,
            retryable=self.retryable,
            status=self.status,
            retry_after=self.retry_after,
            billed=billed,
        )
