"""Who may read a conversation: its owner, members with whom it is shared, whoever has a link to it."""
