"""Tests of what is shipped and of the two commands."""
