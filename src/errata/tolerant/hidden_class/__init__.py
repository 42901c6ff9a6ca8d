"""Models of a hidden class, of which the label is a noisy copy."""
