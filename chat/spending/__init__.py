"""What calls of models may cost, did cost, and for whom. docs/costs.md tells it as a whole."""
