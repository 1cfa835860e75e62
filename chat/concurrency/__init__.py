"""Between asyncio and synchronous Django: one way to the database, background tasks, shared queries."""
