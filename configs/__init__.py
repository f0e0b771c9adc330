"""Packaged panels, tracks, candidates and score sheets; a local file wins over a packaged name."""
