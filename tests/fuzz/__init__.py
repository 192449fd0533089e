"""Differential fuzzing and the long forms of the tests that a suite has no time for.

python -m tests.fuzz --cases 1000000 --seed 1     everything against the slow definitions
python -m tests.fuzz.stress threads               16 cursors in 16 threads, for a minute
python -m tests.fuzz.stress connections           1,000 connections opened and closed
python -m tests.fuzz.stress sizes                 10M items of one user, 10M users of one item, and the like
python -m tests.fuzz.stress values                a hash of all values of generated users
cosmic-ray                                        breaks the formulas, one at a time: see .cosmic-ray.toml
"""
