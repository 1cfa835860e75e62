"""Texts of any script as a PDF: their blocks, Markdown made into such, and the process that sets them."""
