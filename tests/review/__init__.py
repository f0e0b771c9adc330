"""Tests of the review app."""
