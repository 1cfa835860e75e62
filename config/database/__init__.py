"""Django's backend for PostgreSQL with a pool of our own: `base` is where Django looks for it."""
