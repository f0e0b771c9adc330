"""Benchmarks and what models scored on them: importers, lint, metrics, tables, plots, exporters; no model calls."""
