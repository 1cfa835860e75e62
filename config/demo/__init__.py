"""The demo data of an empty database, as readable Python. `seed_demo` writes it."""
