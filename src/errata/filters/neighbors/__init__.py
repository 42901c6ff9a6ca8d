"""Neighbour editors: a label is wrong when the rows around it, or most of them, carry another.

All ask :mod:`errata._neighbors` who is near. The editors differ in how often they ask and in what
they do with the vote; the cut-edge filter asks whether chance alone would have given so many
neighbours another label.
"""
