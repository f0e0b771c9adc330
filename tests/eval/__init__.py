"""Tests of importers, lint, scoring, tables, plots, the page and the exporters."""
