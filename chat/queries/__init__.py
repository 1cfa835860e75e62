"""All that a person may see of conversations. No door fetches a session, message or stream any other way."""
