"""What makes a release, and what goes on with one: an engine, and a vendor that says what the script says."""

from tests.chat.conftest import own_valkey_keys
from tests.chat.engine.conftest import running, vendor

__all__ = ["own_valkey_keys", "running", "vendor"]
