"""Benchmarks for other people's harnesses: one file a harness, all from the same items."""
