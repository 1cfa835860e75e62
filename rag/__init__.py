"""What the model gets to see: retrieval and compact encoding."""
