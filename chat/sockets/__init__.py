"""The WebSockets, as Channels consumers: their addresses, frames, what each frame does, how fast they may come."""
