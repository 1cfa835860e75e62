"""Every change: applied, recorded, read, compared, rolled back."""
