"""What an audit is given: labels, features, groups, duplicates and decisions, checked once."""
