"""Parallel perceptrons, and boosting that lets go of the rows they find noisy."""
