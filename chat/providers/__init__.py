"""The only code that knows a vendor of models."""
