"""What a person may ask for, each in one transaction."""
