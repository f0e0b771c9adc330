"""The papers' result tables, on the papers' subsets and in the papers' shape, for one's own models."""
