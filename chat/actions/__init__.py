"""All that a person may ask, each one transaction."""
