"""Business records: companies, folders and use cases, what their values may be, and where use cases are in a matrix."""
