"""Who is it, may they stay, and how many connections they have."""
