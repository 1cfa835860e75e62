"""Settings, addresses and processes. Nobody imports this package but the entry points."""
