"""Benchmarks of the pack; README.md says what each command does."""
