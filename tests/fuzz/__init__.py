"""Differential fuzzing, and the long forms of tests that take too long for the suite.

python -m tests.fuzz --cases 1000000 --seed 1     everything against the slow definitions
python -m tests.fuzz.stress                       threads and connections
cosmic-ray                                        breaks the formulas, one at a time: see .cosmic-ray.toml
"""
