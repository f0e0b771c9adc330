"""Audits a benchmark file without a model: one file a family of checks, each finding a fact that can be defended."""
