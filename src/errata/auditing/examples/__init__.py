"""Single rows as a person wants to see them: examples, cards, evidence, explanations."""
