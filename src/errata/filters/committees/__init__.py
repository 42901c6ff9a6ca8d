"""Committees: models that have not seen a row, or not believed it, say what its label should be."""
