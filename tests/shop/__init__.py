"""An application of somebody else: models with neither a version nor a header, which tests register as kinds."""
