"""Tables larger than memory: what they are, and how they are read and written in parts."""
