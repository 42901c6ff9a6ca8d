"""Inputs of an audit: labels, features, groups, duplicates and decisions, checked once."""
