"""What can be changed: kinds and their fields, operations, and whether something is still as it was."""
