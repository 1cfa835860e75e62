"""What was said in conversations, found by its words."""
