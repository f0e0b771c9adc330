"""Prompt files and the strict renderer that fills them."""

from prompts.rendering import render, sha256

__all__ = ["render", "sha256"]
