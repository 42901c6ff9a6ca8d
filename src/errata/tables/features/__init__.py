"""Columns to numbers: what a model can take in, and what a person should know about it."""
