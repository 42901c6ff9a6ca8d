"""The audit of a table that is read in parts."""
