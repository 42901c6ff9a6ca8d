"""Noise peeling: boost, leave out the rows that boosting struggles with, and boost again."""
