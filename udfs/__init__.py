"""Ranking measures for DuckDB: recall, precision, average precision, AUC, MRR, NDCG and more, in SQL."""

from .connection import register

__all__ = ["__version__", "register"]
__version__ = "0.1.0"
