"""Models of an audit: cross-fitted, pooled into one, and asked about other rows."""
