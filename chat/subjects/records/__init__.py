"""Conversations about business records: what their fields mean, how use cases are weighed, what is done on demand."""
