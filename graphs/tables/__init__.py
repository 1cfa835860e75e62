"""Objects of any kind as rows of a file: read from CSV and spreadsheets, planned, stored, and written again."""
