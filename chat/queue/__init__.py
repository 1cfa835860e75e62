"""The queue: what runs or waits in a workspace, told by the source of each kind, and what a person may do about it."""
