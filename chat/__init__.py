"""The conversation: sessions, engine, providers, tools, events and the doors to them."""
