"""Who may do what with a conversation: decided here, and asked by every door."""
