"""Boosting: AdaBoost, and six boosters that resist wrong labels better."""
