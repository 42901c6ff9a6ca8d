"""Models with pointwise probability reinforcements: they fit the rows that agree, flag the rest."""
