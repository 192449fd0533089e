"""Small worlds with a known right answer, for rules of ranking.check that decide by a statistical test."""
