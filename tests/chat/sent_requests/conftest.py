"""The engine and a vendor, as its own tests have them."""

from tests.chat.engine.conftest import running, vendor

__all__ = ["running", "vendor"]
