"""What `chat/consumers.py` is made of: frames of the chat socket, what each does, limits of one connection."""
