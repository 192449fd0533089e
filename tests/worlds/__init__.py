"""Small worlds with a known right answer, for the rules of ranking_check that decide by a statistical test.

Users, items, a truth, models of a given quality, and the disasters that may befall a model. simulate.py
counts how often each is seen, and how often something else is taken for one.
"""
