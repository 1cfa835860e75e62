"""What every app stands on: HTTP, pages, membership, JSON, PostgreSQL, Valkey, telemetry."""
