"""What `chat/sockets/consumers.py` is made of: frames of the chat socket, what each does, how fast they may come."""
